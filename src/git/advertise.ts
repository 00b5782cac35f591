import type { Context } from "./context.ts"
import type { Repository } from "./model.ts"
import { isHiddenRef, type ObjectFormat, zeroId } from "./names.ts"
import { flushPacket, packet } from "./pktline.ts"
import { isProtocol } from "./process.ts"
import { listReferences } from "./refFiles.ts"

/** What a client is told before it asks for anything. Over HTTP the service packet of `servicePreamble` goes before it. */
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

/** What a fetch is told first, from git itself. Under protocol v2 that depends on the object format alone, so it is asked for once; whether the repository is there must be known already. Throws `failed`. */
export async function advertiseUpload(context: Context, repository: Repository, options: AdvertiseOptions = {}): Promise<Advertisement> {
  const ask = async () => {
    const command = { name: "upload-pack", flags: ["--strict", "--http-backend-info-refs"], args: [repository.directory] } as const
    return (await context.processes.run(command, { repository, protocol: options.protocol })).stdout
  }
  if (protocolVersion(options.protocol) !== 2) return ask()
  const known = context.advertisements.get(repository.format)
  if (known !== undefined) return known
  const asked = ask()
  context.advertisements.set(repository.format, asked)
  return asked.catch((error: unknown) => {
    context.advertisements.delete(repository.format)
    throw error
  })
}

/** What this service's own receive-pack can do. */
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

/**
 * What a push is told first: the references, without hidden ones, and the capabilities. There is no version 2 of it. Without a repository, what
 * an empty SHA-1 one would say: for a push that is about to make it. Throws `missing`.
 */
export async function advertiseReceive(
  context: Context,
  repository: Repository | undefined,
  options: AdvertiseOptions = {},
): Promise<Advertisement> {
  const format = repository?.format ?? "sha1"
  const references = repository === undefined ? [] : (await listReferences(repository)).filter((reference) => !isHiddenRef(reference.name))
  const lines = references.map(({ name, id }) => `${id} ${name}`)
  const [first = `${zeroId(format)} capabilities^{}`, ...rest] = lines
  const version = protocolVersion(options.protocol) === 1 ? [packet("version 1\n")] : []
  const head = packet(`${first}\0${receiveCapabilities(context, format)}\n`)
  return Buffer.concat([...version, head, ...rest.map((line) => packet(`${line}\n`)), flushPacket])
}
