import { MemoryStore } from '../../../src/cloud/store/memory.js';
import { storeContract } from '../../contracts/store/index.js';

storeContract('memory', async () => new MemoryStore());
