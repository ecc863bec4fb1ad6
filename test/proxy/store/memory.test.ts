/** Orders in memory keep the contract. */
import { withMemory } from './bench.js';
import { describeStore } from './contract.js';

describeStore('a store in memory', withMemory);
