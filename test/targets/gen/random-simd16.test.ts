import { scalarWays, testRandomPrograms } from '../../support/random-programs.js';

testRandomPrograms({
  name: 'SIMD16',
  width: 16,
  ways: scalarWays,
});
