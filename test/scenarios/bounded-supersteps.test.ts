import { boundedSuperstepsSuite } from '../support/suites/bounded-supersteps-suite.ts';

boundedSuperstepsSuite('first');
