import { readFile } from "node:fs/promises"
import { isIPv4, type Socket } from "node:net"

/**
 * What clients have not taken of what was sent to them. A write succeeds while the system has room for it, on Linux four megabytes of a connection, so that of a client who reads nothing of
 * an answer that goes on for hours nothing is noticed for as long: only the system knows. Linux says it in a table; elsewhere nothing is known.
 */

/** Gives the function that says how many bytes it is of a connection. Reads the table of all connections of the machine. */
export async function readUnread(): Promise<(socket: Socket) => number> {
  const tables = await Promise.all(["/proc/self/net/tcp", "/proc/self/net/tcp6"].map((path) => readFile(path, "latin1").catch(() => "")))
  const unread = new Map<string, number>()
  const ports = new Set<number>()
  // Number, own address, the other's, state, and what is not sent or not acknowledged.
  for (const table of tables)
    for (const [, own = "", other = "", bytes = ""] of table.matchAll(/^ *\d+: (\S+) (\S+) \S+ (?!00000000)(\w+):/gm)) {
      unread.set(`${own} ${other}`, Number.parseInt(bytes, 16))
      ports.add(Number.parseInt(other.slice(-4), 16))
    }
  return (socket) => (ports.has(socket.remotePort ?? 0) ? (unread.get(placeOf(socket)) ?? 0) : 0)
}

/** The name of a connection in the table. */
function placeOf({ localAddress = "", localPort = 0, remoteAddress = "", remotePort = 0 }: Socket): string {
  return `${inHex(localAddress)}:${portInHex(localPort)} ${inHex(remoteAddress)}:${portInHex(remotePort)}`
}

const portInHex = (port: number): string => port.toString(16).padStart(4, "0").toUpperCase()

/** The bytes of an address, in words of four with the last byte first, as machines with little-endian memory have them. */
function inHex(address: string): string {
  const bytes = Buffer.from(isIPv4(address) ? address.split(".").map(Number) : bytesOfIPv6(address))
  return bytes.swap32().toString("hex").toUpperCase()
}

function bytesOfIPv6(address: string): readonly number[] {
  const [plain = ""] = address.split("%")
  const [, before = plain, last] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(plain) ?? []
  const tail = last === undefined ? [] : last.split(".").map(Number)
  const [head = [], rest = []] = before
    .replace(/([^:]):$/, "$1")
    .split("::")
    .map((part) =>
      part.split(":").flatMap((group) => (group === "" ? [] : [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])),
    )
  return [...head, ...Array.from({ length: 16 - head.length - rest.length - tail.length }, () => 0), ...rest, ...tail]
}
