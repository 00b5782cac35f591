import { lookup } from "node:dns/promises"
import { BlockList, isIP } from "node:net"
import { compileGlob } from "../text/globs.ts"

/** Decides to which hosts this service may connect, by the address that is then used, so that a later change of DNS can't get around it. */
export interface Guard {
  /**
   * The address to connect to for a host, looked up once and allowed. Throws {@link HostRefused} where there is none, or where any of the
   * its addresses is not allowed: the owner of the name decides which of them is returned.
   */
  readonly resolve: (host: string) => Promise<Address>
}

export interface Address {
  readonly address: string
  readonly family: 4 | 6
}

/** The host may not be called; the message says which and why, and what an operator can do. */
export class HostRefused extends Error {
  override readonly name = "HostRefused"
}

type Range = readonly [network: string, prefix: number]

const LOOPBACK: readonly Range[] = [
  ["127.0.0.0", 8],
  ["::1", 128],
]

/** Private networks: RFC 1918 and RFC 4193. */
const PRIVATE: readonly Range[] = [
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["fc00::", 7],
]

/** The only IPv6 addresses that IANA has given out for the public network; all others are special or belong to none. */
const GLOBAL_UNICAST: readonly Range[] = [["2000::", 3]]

/**
 * Addresses that are not public: the special-purpose registries of IANA for IPv4 and, within global unicast, for IPv6 (tunnels, benchmarks,
 * documentation), and the address of a large cloud provider's metadata service.
 */
const RESERVED: readonly Range[] = [
  ["0.0.0.0", 8],
  ["100.64.0.0", 10],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  ["2001::", 32],
  ["2001:2::", 48],
  ["2001:10::", 28],
  ["2001:20::", 28],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]

function listOf(ranges: readonly Range[]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, isIP(network) === 6 ? "ipv6" : "ipv4")
  return list
}

const loopback = listOf(LOOPBACK)
const ownNetworks = listOf(PRIVATE)
const reserved = listOf(RESERVED)
const globalUnicast = listOf(GLOBAL_UNICAST)

/** An IPv4-mapped IPv6 address as IPv4, which the lists would not match otherwise. */
function unmapped({ address, family }: Address): Address {
  if (family === 4) return { address, family }
  const [, dotted, high, low] = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i.exec(canonical(address)) ?? []
  if (dotted !== undefined) return { address: dotted, family: 4 }
  if (high === undefined || low === undefined) return { address, family }
  const number = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16)
  return { address: [24, 16, 8, 0].map((bits) => (number >>> bits) & 0xff).join("."), family: 4 }
}

/** An IPv6 address in its shortest form. */
const canonical = (address: string): string => new URL(`http://[${address.replace(/%.*$/, "")}]/`).hostname.slice(1, -1)

const within = (list: BlockList, { address, family }: Address): boolean => list.check(address, family === 6 ? "ipv6" : "ipv4")

export const isLoopback = (address: Address): boolean => within(loopback, unmapped(address))
export const isPrivate = (address: Address): boolean => within(ownNetworks, unmapped(address))

/** Whether it is a public address. */
export function isExternal(address: Address): boolean {
  const plain = unmapped(address)
  if (plain.family === 6 && !within(globalUnicast, plain)) return false
  return !within(loopback, plain) && !within(ownNetworks, plain) && !within(reserved, plain)
}

type Entry = (host: string, address: Address) => boolean

/** What one word of the setting allows; undefined for an unknown word. */
function entryOf(word: string): Entry | undefined {
  switch (word) {
    case "*":
      return () => true
    case "external":
      return (_, address) => isExternal(address)
    case "private":
      return (_, address) => isPrivate(address)
    case "loopback":
      return (_, address) => isLoopback(address)
  }
  const [network = "", prefix] = word.split("/")
  const family = isIP(network)
  if (family !== 0) {
    const bits = prefix === undefined ? (family === 6 ? 128 : 32) : Number(prefix)
    if (!Number.isInteger(bits) || bits < 0 || bits > (family === 6 ? 128 : 32)) return undefined
    const list = listOf([[network, bits]])
    return (_, address) => within(list, unmapped(address))
  }
  if (!/^[\w.*-]+$/.test(word)) return undefined
  return compileGlob(word.toLowerCase())
}

/** The words of a setting such as "external, 10.1.0.0/16, *.example.org"; undefined if one of them is unknown. */
export function readAllowed(text: string): readonly Entry[] | undefined {
  const entries: Entry[] = []
  for (const word of text.split(",").map((part) => part.trim().toLowerCase())) {
    if (word === "") continue
    const entry = entryOf(word)
    if (entry === undefined) return undefined
    entries.push(entry)
  }
  return entries
}

type Lookup = (host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>

const ask: Lookup = (host) => lookup(host, { all: true })

/** Makes a guard from the setting's words. Throws a TypeError if one of them is unknown. */
export function openGuard(allowed: string, find: Lookup = ask): Guard {
  const entries = readAllowed(allowed)
  if (entries === undefined) throw new TypeError(`not a list of hosts that may be called: ${allowed}`)

  async function resolve(host: string): Promise<Address> {
    // As they are written in URLs, and as a name server accepts them.
    const name = host
      .replace(/^\[|\]$/g, "")
      .replace(/\.$/, "")
      .toLowerCase()
    const family = isIP(name)
    const found = family === 0 ? await find(name) : [{ address: name, family }]
    const addresses = found.map(({ address, family: version }): Address => ({ address, family: version === 6 ? 6 : 4 }))
    const [first] = addresses
    if (first === undefined) throw new HostRefused(`${host} has no address`)
    for (const address of addresses)
      if (!(entries ?? []).some((allows) => allows(name, address)))
        throw new HostRefused(`${host} (${address.address}) may not be called; an operator can allow it with HEARTH_OUTGOING_ALLOWED_HOSTS`)
    return first
  }
  return { resolve }
}
