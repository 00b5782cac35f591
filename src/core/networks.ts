import { BlockList, isIP, isIPv4, isIPv6 } from "node:net"

/** Addresses of clients: in one form, and by the network that one client commands. */

const WORDS: Readonly<Record<string, readonly string[]>> = {
  none: [],
  loopback: ["127.0.0.0/8", "::1"],
  private: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
}

const ADDRESSES_KEPT = 1_000
/** Characters of an address, and of its zone. */
const LONGEST_KEPT = 64

/** An address in its shortest form: an IPv4-mapped one as IPv4, without a zone. Undefined for what is no address. */
export function plainAddress(text: string): string | undefined {
  const [address = ""] = text.trim().split("%", 1)
  // Asked first: it takes far less time than to know an IPv6 address.
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return undefined
  const shortest = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [, high = "", low = ""] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(shortest) ?? []
  if (low === "") return shortest
  const number = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((bits) => (number >>> bits) & 0xff).join(".")
}

/**
 * The network that limits count an address by, given as {@link plainAddress} gives it: an IPv4 address itself, and of an IPv6 address its /64,
 * since that is the least that a single customer gets.
 */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address
  const [before = "", after = ""] = address.split("::")
  const [left, right] = [before, after].map((side) => (side === "" ? [] : side.split(":")))
  const missing = 8 - (left?.length ?? 0) - (right?.length ?? 0)
  const groups = address.includes("::") ? [...(left ?? []), ...Array<string>(missing).fill("0"), ...(right ?? [])] : (left ?? [])
  return `${groups.slice(0, 4).join(":")}::/64`
}

/**
 * Whether an address is in one of the networks that a setting lists, with commas between them: addresses, networks such as 10.1.0.0/16, and the
 * words loopback, private and none. Throws a TypeError for anything else.
 */
export function readNetworks(text: string): (address: string) => boolean {
  const list = new BlockList()
  const words = text.split(",").map((part) => part.trim().toLowerCase())
  for (const network of words.filter((word) => word !== "").flatMap((word) => WORDS[word] ?? [word])) {
    const [address = "", bits] = network.split("/")
    const family = isIP(address)
    const most = family === 6 ? 128 : 32
    const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
    if (family === 0 || !(prefix <= most)) throw new TypeError(`not a list of networks: ${text}`)
    list.addSubnet(address, prefix, family === 6 ? "ipv6" : "ipv4")
  }
  // Asked at every request, of few addresses.
  const known = new Map<string, boolean>()
  return (given) => {
    const before = known.get(given)
    if (before !== undefined) return before
    const address = plainAddress(given)
    const isIn = address !== undefined && list.check(address, isIPv6(address) ? "ipv6" : "ipv4")
    if (known.size >= ADDRESSES_KEPT) known.clear()
    if (given.length <= LONGEST_KEPT) known.set(given, isIn)
    return isIn
  }
}
