/**
 * Captured output of Beignet for kernels written for this project, in the form that its printing functions have:
 * `->` stands for a tab, which is easier to see here.
 */
const tabs = (text: string): string => text.replaceAll('->|', '\t').replace(/^\n/, '');

export const saxpyIr = tabs(`
.decl_function saxpy
## 47 registers ##
.decl.dword %0 local_id_0
.decl.dword %3 group_id_0
.decl.dword %9 local_size_0
.decl.dword %18 global_offset_0
.decl.word %23 block_ip
.decl.dword %41
.decl.dword %42
.decl.dword %43
.decl.dword %44
.decl.bool %45
.decl.dword %46
## 4 input registers ##
decl_input.global %41 x
decl_input.global %42 y
decl_input.value %43 a
decl_input.value %44 n
## 0 output register ##
## 0 pushed register
## 2 blocks ##
LABEL $0
MUL.int32 %46 %3 %9
ADD.int32 %46 %46 %0
GE.int32 %45 %46 %44
BRA<%45> -> label$1
LOADI.int32 %47 2
SHL.int32 %48 %46 %47
ADD.int32 %49 %41 %48
LOAD.float.global.aligned {%50} %49 bti:2
ADD.int32 %51 %42 %48
LOAD.float.global.aligned {%52} %51 bti:3
MAD.float %53 %43 %50 %52
STORE.float.global.aligned %51 {%53} bti:3

LABEL $1
RET

.end_function
`);

export const saxpySelection = tabs(`
saxpy's SELECTION IR begin:
WARNING: not completed yet, welcome for the FIX!
[0]    ->|  L0:
[2]    ->|MUL(16)             %46<1>:D->|:->|%3<0,1,0>:D->|%9<0,1,0>:D->|
[4]    ->|ADD(16)             %46<1>:D->|:->|%46<8,8,1>:D->|%0<8,8,1>:D->|
[6]    ->|CMP.ge(16)          arf     ->|:->|%46<8,8,1>:D->|%44<0,1,0>:D->|
[8](f45)->|JMPI(1)             :->|0:D->|
[10]    ->|SHL(16)             %48<1>:D->|:->|%46<8,8,1>:D->|2:D->|
[12]    ->|ADD(16)             %49<1>:D->|:->|%41<0,1,0>:D->|%48<8,8,1>:D->|
[14]    ->|UNTYPED_READ(16)    %50<1>:F->|:->|%49<8,8,1>:UD->|0x2:UD->|
[16]    ->|ADD(16)             %51<1>:D->|:->|%42<0,1,0>:D->|%48<8,8,1>:D->|
[18]    ->|UNTYPED_READ(16)    %52<1>:F->|:->|%51<8,8,1>:UD->|0x3:UD->|
[20]    ->|MAD(16)             %53<1>:F->|:->|%52<8,8,1>:F->|%43<0,1,0>:F->|%50<8,8,1>:F->|
[22]    ->|UNTYPED_WRITE(16)   :->|%51<8,8,1>:UD->|%53<8,8,1>:F->|0x3:UD->|
[24]    ->|  L1:
[26]    ->|EOT(16)             :->|

saxpy's SELECTION IR end.

`);

export const saxpyAllocation = tabs(`
## register allocation ##
%0       g2  .0  D  64B->|[  0        -> 4       ]use count: 1
%3       g0  .1  D  4B->|[  2147483647 -> -2147483647]use count: 1
%9       g1  .5  D  4B->|[  0        -> 2       ]use count: 1
%41      g1  .0  D  4B->|[  0        -> 12      ]use count: 1
%42      g1  .1  D  4B->|[  0        -> 16      ]use count: 1
%43      g1  .2  D  4B->|[  0        -> 19      ]use count: 1
%44      g1  .3  D  4B->|[  0        -> 6       ]use count: 1
%45      g4  .1  b  32B->|[  6        -> 8       ]use count: 2
%46      g6  .0  D  64B->|[  2        -> 10      ]use count: 5

`);

/** A sum over a loop; the fork that prints the targets behind a semicolon. */
export const sumFork = tabs(`
sum's SELECTION IR begin:
[0]    ->|  L0:
[2]    ->|MOV(8)              %50<1>:F = 0:F->|
[4]    ->|MOV(8)              %51<1>:D = %0<8,8,1>:D->|
[6]    ->|  L1:
[8]    ->|UNTYPED_READ(8)     %52<1>:F = %51<8,8,1>:UD->|0x2:UD->|
[10]    ->|ADD.sat(8)          %50<1>:F = %50<8,8,1>:F->|%52<8,8,1>:F->|
[12]    ->|ADD(8)              %51<1>:D = %51<8,8,1>:D->|-4:D->|
[14]    ->|CMP.gt(8)[f44]      null:D = %51<8,8,1>:D->|0:D->|
[16](f44)->|WHILE(8)  jip=L1->|
[18]    ->|  L2:
[20]    ->|UNTYPED_WRITE(8)    = %0<8,8,1>:UD->|%50<8,8,1>:F->|0x3:UD->|{NoMask Q2 AccWr}
[22]    ->|EOT(8)              =

sum's SELECTION IR end.
`);

/** Branches that nest, a barrier, doubles, a sampler; plain Beignet. */
export const mixed = tabs(`
mixed's SELECTION IR begin:
WARNING: not completed yet, welcome for the FIX!
[0]    ->|  L0:
[2]    ->|CMP.eq(16)          arf     ->|:->|%0<8,8,1>:D->|0:D->|
[4](f60)->|IF(16)              :->|0:D->|
[6]    ->|  L1:
[8]    ->|MUL(8)              %61<1>:V->|:->|%62<4,4,1>:V->|:V->|
[10]    ->|ELSE(16)            :->|0:D->|
[12]    ->|  L2:
[14]    ->|BARRIER(16)         %63<1>:UD->|:->|%64<8,8,1>:UD->|
[16]    ->|  L3:
[18]    ->|ENDIF(16)           :->|0:D->|
[20]    ->|SAMPLE(16)          %65<1>:F->|%66<1>:F->|%67<1>:F->|%68<1>:F->|:->|%69<8,8,1>:F->|%70<8,8,1>:F->|
[22]    ->|MATH.rsq(16)        %71<1>:F->|:->|-(abs)%65<8,8,1>:F->|
[24]    ->|MOV(1)              %72.4<1>:UD->|:->|%72.8<0,1,0>:UD->|
[26]    ->|MOV(16)             %73<1>:->|:->|%65<8,8,1>:F->|
[28]    ->|CMP.neq(16)         arf     ->|:->|%71<8,8,1>:F->|0x0:UD->|
[30](f0.1)->|SEL(16)             %74<1>:UW->|:->|%28<0,1,0>:UW->|%27<0,1,0>:UW->|
[32]    ->|EOT(16)             :->|

mixed's SELECTION IR end.

`);

/** A register allocation with spills, as it stands in a capture without the selection. */
export const spilled = tabs(`
## register allocation ##
%0       g2  .0  D  32B->|[  0        -> 18      ]use count: 3
%3       g0  .1  D  4B->|[  2147483647 -> -2147483647]use count: 1
%44      g6  .1  b  16B->|[  4        -> 8       ]use count: 2
%45      g10 .0  D  64B->|[  -1       -> 30      ]use count: 12
%46      g3  .3  W  2B->|[  0        -> 2       ]use count: 1
## spilled registers: 2
%61      @0         D  32B->|[  10       -> 400     ]use count: 4
%62      @-1        D  32B->|[  12       -> 12      ]use count: 2

`);
