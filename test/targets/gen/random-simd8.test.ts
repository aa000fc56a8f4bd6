import { scalarWays, testRandomPrograms } from '../../support/random-programs.js';

testRandomPrograms({
  name: 'SIMD8',
  width: 8,
  ways: scalarWays,
});
