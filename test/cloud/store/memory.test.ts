import { MemoryStore } from '../../../src/cloud/store/memory.js';
import { storeContract } from '../../contracts/store.js';

storeContract('memory', async () => new MemoryStore());
