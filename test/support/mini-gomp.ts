/**
 * A small OpenMP runtime in PTX, enough for the target regions of one team that GCC compiles for nvptx: warp 0 runs the
 * region, `GOMP_parallel` hands a function and its data to the other warps at a barrier and takes part itself.
 * It keeps the conventions of soft stacks by having no frame. How many teams there are (`omp_get_num_teams`) a hook
 * says. Written for these tests.
 */
export const miniGomp = `
.shared .u64 gomp_task[2];
.visible .func gomp_nvptx_main (.param .u64 %in_ar1, .param .u64 %in_ar2)
{
  .reg .u64 %fn, %data, %end; .reg .u32 %warp; .reg .pred %p, %q;
  ld.param.u64 %fn, [%in_ar1];
  ld.param.u64 %data, [%in_ar2];
  mov.u32 %warp, %tid.y;
  setp.ne.u32 %p, %warp, 0;
  @%p bra $worker;
  { .param .u64 %a; st.param.u64 [%a], %data;
    P: .callprototype _ (.param .u64 %in);
    call %fn, (%a), P; }
  mov.u64 %end, 0;
  st.shared.u64 [gomp_task], %end;
  bar.sync 0;
  ret;
$worker:
  bar.sync 0;
  ld.shared.u64 %fn, [gomp_task];
  ld.shared.u64 %data, [gomp_task+8];
  setp.eq.u64 %q, %fn, 0;
  @%q ret;
  { .param .u64 %a; st.param.u64 [%a], %data;
    Q: .callprototype _ (.param .u64 %in);
    call %fn, (%a), Q; }
  bar.sync 0;
  bra $worker;
}
.visible .func GOMP_parallel (.param .u64 %in_ar0, .param .u64 %in_ar1, .param .u32 %in_ar2, .param .u32 %in_ar3)
{
  .reg .u64 %fn, %data;
  ld.param.u64 %fn, [%in_ar0];
  ld.param.u64 %data, [%in_ar1];
  st.shared.u64 [gomp_task], %fn;
  st.shared.u64 [gomp_task+8], %data;
  bar.sync 0;
  { .param .u64 %a; st.param.u64 [%a], %data;
    P: .callprototype _ (.param .u64 %in);
    call %fn, (%a), P; }
  bar.sync 0;
  ret;
}
.visible .func (.param .u32 %value_out) omp_get_thread_num
{
  .reg .u32 %r; mov.u32 %r, %tid.y; st.param.u32 [%value_out], %r; ret;
}
.visible .func (.param .u32 %value_out) omp_get_num_threads
{
  .reg .u32 %r; mov.u32 %r, %ntid.y; st.param.u32 [%value_out], %r; ret;
}
.visible .func (.param .u32 %value_out) omp_get_team_num
{
  .reg .u32 %r; mov.u32 %r, %ctaid.x; st.param.u32 [%value_out], %r; ret;
}
.visible .func (.param .u32 %value_out) GOMP_teams4 (.param .u32 %in_ar0, .param .u32 %in_ar1, .param .u32 %in_ar2, .param .u32 %in_ar3)
{
  .reg .u32 %r; ld.param.u32 %r, [%in_ar3]; st.param.u32 [%value_out], %r; ret;
}
.visible .func GOMP_critical_start { ret; }
.visible .func GOMP_critical_end { ret; }
`;
