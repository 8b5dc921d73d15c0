/** Which IP addresses belong to the public internet (IANA's registries of special-purpose addresses). */
import { BlockList, isIP } from 'node:net';

/** IPv4 networks that are not public: IANA's registry of special-purpose addresses, multicast, and reserved networks. */
const SPECIAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];
/** The IPv6 network that contains all public addresses. */
const GLOBAL_V6 = ['2000::/3'];
/** Networks in `GLOBAL_V6` that are not public: protocol assignments with Teredo, documentation, 6to4 (embedded IPv4). */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const specialV4 = listOf('ipv4', SPECIAL_V4);
const globalV6 = listOf('ipv6', GLOBAL_V6);
const specialV6 = listOf('ipv6', SPECIAL_V6);

/** Whether an address is on the public internet. IPv4 inside IPv6 never is: a target can be written as plain IPv4. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !specialV4.check(address, 'ipv4');
    case 6:
      return globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6');
    default:
      return false;
  }
}

function listOf(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}
