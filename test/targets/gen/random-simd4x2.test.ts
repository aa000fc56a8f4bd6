import { testRandomPrograms } from '../../support/random-programs.js';

testRandomPrograms({
  name: 'SIMD4x2',
  width: 8,
  ways: [
    ['vec4', 'best'],
    ['vec4', 'i965'],
  ],
});
