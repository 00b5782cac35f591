import { setImmediate } from "node:timers/promises"
import type { Repository } from "../model/model.ts"
import { isHiddenRef, type ObjectFormat, type ObjectId, zeroId } from "../model/names.ts"
import type { Context } from "../process/context.ts"
import { ownCaller } from "../process/limits.ts"
import { isProtocol } from "../process/process.ts"
import { type PackedFile, packedBelow, readPackedFile } from "../refs/packed-file.ts"
import { listReferences, looseReferences } from "../refs/ref-files.ts"
import { spliced } from "../refs/sorted-lines.ts"
import { flushPacket, packet } from "./pktline.ts"

/** The advertisement that a client receives before its request. Over HTTP the service packet of `servicePreamble` comes first. */
export type Advertisement = Buffer

/** The packets that open an advertisement over HTTP. */
export function servicePreamble(service: "git-upload-pack" | "git-receive-pack"): Buffer {
  return Buffer.concat([packet(`# service=${service}\n`), flushPacket])
}

interface AdvertiseOptions {
  readonly protocol?: string | undefined
}

/** The protocol version that a client's `Git-Protocol` asks for. */
export function protocolVersion(protocol: string | undefined): 0 | 1 | 2 {
  if (protocol === undefined || !isProtocol(protocol)) return 0
  const versions = protocol.split(":").flatMap((pair) => (pair.startsWith("version=") ? [pair.slice("version=".length)] : []))
  if (versions.includes("2")) return 2
  return versions.includes("1") ? 1 : 0
}

/** The advertisement for a fetch, from git itself. Under protocol v2 it depends only on the object format, so it is cached; the caller must know that the repository exists. Throws `failed`. */
export async function advertiseUpload(context: Context, repository: Repository, options: AdvertiseOptions = {}): Promise<Advertisement> {
  const isShared = protocolVersion(options.protocol) === 2
  const ask = async () => {
    const command = { name: "upload-pack", flags: ["--strict", "--http-backend-info-refs"], args: [repository.directory] } as const
    return (await context.processes.run(command, { repository, protocol: options.protocol, ...(isShared && { caller: ownCaller }) })).stdout
  }
  if (!isShared) return ask()
  const known = context.advertisements.get(repository.format)
  if (known !== undefined) return known
  const asked = ask()
  context.advertisements.set(repository.format, asked)
  return asked.catch((error: unknown) => {
    context.advertisements.delete(repository.format)
    throw error
  })
}

/** The capabilities of this service's own receive-pack. */
function receiveCapabilities(context: Context, format: ObjectFormat): string {
  return [
    "report-status",
    "report-status-v2",
    "delete-refs",
    "side-band-64k",
    "quiet",
    "atomic",
    "ofs-delta",
    "push-options",
    `object-format=${format}`,
    `agent=${context.agent}`,
  ].join(" ")
}

/** The lines of packed references as packets, of files that are remembered. */
const packets = new WeakMap<Buffer, Promise<Buffer>>()

/** References that are made packets of before others have their turn. */
const AT_ONCE = 2_000

async function packetsOf(packed: PackedFile): Promise<Buffer> {
  const made: Buffer[] = []
  let lines: string[] = []
  for (const [name, id] of packedBelow(packed, "refs/")) {
    if (!isHiddenRef(name)) lines.push(line(name, id))
    if (lines.length < AT_ONCE) continue
    made.push(Buffer.from(lines.join("")))
    lines = []
    await setImmediate()
  }
  return Buffer.concat([...made, Buffer.from(lines.join(""))])
}

const line = (name: string, id: ObjectId): string => {
  const text = `${id} ${name}\n`
  return `${(Buffer.byteLength(text) + SIZE).toString(16).padStart(SIZE, "0")}${text}`
}

/** The digits of a packet's size. */
const SIZE = 4

/** All references but hidden ones as packets, by name. Throws `missing`. */
async function allPackets(repository: Repository): Promise<Buffer> {
  // Before the packed ones: git moves references from the one to the other.
  const loose = await looseReferences(repository)
  const packed = readPackedFile(repository)
  if (loose.size === 0 && packed.lines.length === 0) await listReferences(repository)
  const made = packets.get(packed.lines) ?? packetsOf(packed)
  packets.set(packed.lines, made)
  const shown = new Map([...loose].filter(([name]) => !isHiddenRef(name)))
  return spliced(await made, SIZE + zeroId(repository.format).length + 1, shown, line)
}

/**
 * The advertisement for a push: the references, without hidden ones, and the capabilities. It has no version 2. Without a repository, that of
 * an empty SHA-1 one: for a push that will create it. Throws `missing`.
 */
export async function advertiseReceive(
  context: Context,
  repository: Repository | undefined,
  options: AdvertiseOptions = {},
): Promise<Advertisement> {
  const format = repository?.format ?? "sha1"
  const lines = repository === undefined ? NOTHING : await allPackets(repository)
  // The first line has the capabilities.
  const end = lines.length === 0 ? 0 : Number.parseInt(lines.toString("latin1", 0, SIZE), 16)
  const first = end === 0 ? `${zeroId(format)} capabilities^{}` : lines.toString("utf8", SIZE, end - 1)
  const version = protocolVersion(options.protocol) === 1 ? [packet("version 1\n")] : []
  const head = packet(`${first}\0${receiveCapabilities(context, format)}\n`)
  return Buffer.concat([...version, head, lines.subarray(end), flushPacket])
}

const NOTHING = Buffer.alloc(0)
