import { GitError } from "../model/errors.ts"
import type { Repository } from "../model/model.ts"
import { isHiddenRef, isObjectId, isRefName, isServedRef, isZeroId, type ObjectId, type RefName } from "../model/names.ts"
import type { ByteSource } from "../process/bytes.ts"
import { packetText, readPacket } from "./pktline.ts"

/** A command as the client sent it. */
export interface RequestedCommand {
  readonly name: string
  readonly oldId: ObjectId | null
  readonly newId: ObjectId | null
}

/** The part of a push before the pack. */
export interface PushRequest {
  readonly commands: readonly RequestedCommand[]
  readonly capabilities: ReadonlySet<string>
  readonly options: readonly string[]
  /** Whether the client's repository is shallow. */
  readonly shallow: boolean
  /** Whether there were more commands than are allowed: only so many are here. */
  readonly isTooMany: boolean
}

/** The most commands that are read, so that a client is told of too many. */
const FAR_TOO_MANY = 1_000_000
const optionLimit = 64
/** Of all push options together. A description may be one of them. */
const optionBytes = 256 * 1024

function parseId(repository: Repository, text: string): ObjectId | null {
  if (isZeroId(text) && text.length === (repository.format === "sha1" ? 40 : 64)) return null
  if (!isObjectId(text, repository.format)) throw new GitError("protocol", `not an object id of this ${repository.format} repository`)
  return text
}

function parseCommand(repository: Repository, text: string): RequestedCommand {
  const [oldText = "", newText = "", ...name] = text.split(" ")
  const command = { name: name.join(" "), oldId: parseId(repository, oldText), newId: parseId(repository, newText) }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a control character would break the report that names the reference
  if (command.name === "" || /[\x00-\x1f\x7f]/.test(command.name)) throw new GitError("protocol", "a command without a usable name")
  return command
}

async function readOptions(source: ByteSource): Promise<readonly string[]> {
  const options: string[] = []
  let bytes = 0
  for (;;) {
    const packet = await readPacket(source)
    if (packet === "flush") return options
    if (!Buffer.isBuffer(packet) || options.length === optionLimit) throw new GitError("protocol", "malformed or too many push options")
    bytes += packet.length
    if (bytes > optionBytes) throw new GitError("protocol", `push options of more than ${optionBytes} bytes`)
    options.push(packetText(packet))
  }
}

/**
 * Reads the part of a push before the pack: commands, capabilities and push options. Returns null for an empty request, which git sends to
 * find out whether it may push. More commands than `most` are passed over. Throws `protocol` for what git would not send, or for far too much.
 */
export async function readPushRequest(repository: Repository, source: ByteSource, most: number): Promise<PushRequest | null> {
  const commands: RequestedCommand[] = []
  let capabilities: ReadonlySet<string> | undefined
  let shallow = false
  let count = 0
  for (;;) {
    const packet = await readPacket(source)
    if (packet === null && capabilities === undefined && !shallow) return null
    if (packet === "flush") break
    if (!Buffer.isBuffer(packet)) throw new GitError("protocol", "the commands ended too early")
    const nul = packet.indexOf(0)
    const text = packetText(nul === -1 ? packet : packet.subarray(0, nul))
    if (text.startsWith("shallow ")) {
      shallow = true
      continue
    }
    if (text.startsWith("push-cert")) throw new GitError("protocol", "push certificates are not offered")
    capabilities ??= new Set(
      nul === -1
        ? []
        : packetText(packet.subarray(nul + 1))
            .split(" ")
            .filter(Boolean),
    )
    if (++count > FAR_TOO_MANY) throw new GitError("protocol", "too many commands in one push")
    const command = parseCommand(repository, text)
    if (count <= most) commands.push(command)
  }
  if (commands.length === 0 || capabilities === undefined) return null
  const format = [...capabilities].find((capability) => capability.startsWith("object-format="))
  if ((format ?? "object-format=sha1") !== `object-format=${repository.format}`) {
    throw new GitError("protocol", `this repository has the object format ${repository.format}`)
  }
  const options = capabilities.has("push-options") ? await readOptions(source) : []
  return { commands, capabilities, options, shallow, isTooMany: count > most }
}

/** The references that only the service writes. */
export const isReservedRef = (name: string): boolean => isServedRef(name) || isHiddenRef(name)

/** Whether clients may write a reference at all: its name, or why they may not, in words. */
export function writableName(name: string): { readonly ref: RefName } | { readonly refused: string } {
  // As in git, two components must follow "refs/": a file named refs/heads would replace the folder.
  if (!isRefName(name) || !name.startsWith("refs/") || !isRefName(name.slice("refs/".length)))
    return { refused: "not a valid reference name" }
  if (isReservedRef(name)) return { refused: "this reference is written only by the server" }
  // References are files, and so are their locks.
  if (name.length > 1000 || name.split("/").some((part) => Buffer.byteLength(part) > 240))
    return { refused: "the reference name is too long" }
  return { ref: name }
}
