import { Readable } from "node:stream"
import { GitError, missing } from "../model/errors.ts"
import type { Commit, ObjectInfo, ObjectType, Person, RawObject, Repository, Tag, TreeEntry } from "../model/model.ts"
import { byBytes, idLength, isObjectId, isTagName, type ObjectId } from "../model/names.ts"
import { isTreeEntryName } from "../model/tree-entry.ts"
import { compact, isSmall, keyIn } from "../process/cache.ts"
import type { Context } from "../process/context.ts"
import { outputOf } from "../process/output.ts"
import { looseIds, readLooseFile, writeLooseObject, writtenObject } from "./loose.ts"
import { isType, parseCommit, parseTag, parseTree } from "./parse.ts"

/** A commit to be written. */
export interface NewCommit {
  readonly tree: ObjectId
  readonly parents: readonly ObjectId[]
  readonly author: Person
  readonly committer: Person
  /** Written as it is; git's own tools end it with a newline. */
  readonly message: string
  /** An armoured signature over the commit as it would be without it. */
  readonly signature?: string
  /** See `Commit.changeId`. */
  readonly changeId?: string | undefined
}

/** An annotated tag to be written. */
export interface NewTag {
  readonly object: ObjectId
  readonly type: ObjectType
  readonly name: string
  readonly tagger: Person
  /** Written as it is; a signature is the tail of it. */
  readonly message: string
}

function checkIds(repository: Repository, ids: readonly ObjectId[]): void {
  if (!ids.every((id) => isObjectId(id, repository.format))) throw new GitError("invalid", "an object id of the wrong format")
}

/** `Name <mail> seconds zone`, without characters that would break the line, as git removes them. */
function personLine(person: Person): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  const clean = (text: string) => text.replace(/[<>\x00-\x1f\x7f]/g, "").replace(/^[\s.,:;"\\']+|[\s,:;"\\']+$/g, "")
  const name = clean(person.name)
  const { when, offset } = person
  if (name === "" || !Number.isSafeInteger(when) || when < 0 || !Number.isSafeInteger(offset) || Math.abs(offset) > 24 * 60) {
    throw new GitError("invalid", "a person without a name, or with an impossible time", JSON.stringify(person))
  }
  const minutes = Math.abs(offset)
  const zone = `${offset < 0 ? "-" : "+"}${String(Math.floor(minutes / 60)).padStart(2, "0")}${String(minutes % 60).padStart(2, "0")}`
  return `${name} <${clean(person.email)}> ${when} ${zone}`
}

/** Text without the NUL that git can't hold in a message. */
function messageText(text: string): string {
  return text.replaceAll("\0", "").toWellFormed()
}

/** The same bytes, not copied. */
export const asBuffer = (content: Uint8Array | string): Buffer =>
  typeof content === "string" ? Buffer.from(content) : Buffer.from(content.buffer, content.byteOffset, content.byteLength)

/** Stores a file's content. */
export function writeBlob(context: Context, repository: Repository, content: Uint8Array | string): Promise<ObjectId> {
  return writeLooseObject(context, repository, "blob", asBuffer(content))
}

/** Git sorts a directory as if its name ended with a slash. */
const sortKey = ({ mode, name }: TreeEntry): string => (mode === "40000" ? `${name}/` : name)

/** The entries of a directory in git's order. Throws `invalid` for a name that must not stand in a tree (see isTreeEntryName), or that stands twice. */
export function treeEntries(repository: Repository, entries: readonly TreeEntry[]): readonly TreeEntry[] {
  checkIds(
    repository,
    entries.map((entry) => entry.id),
  )
  const names = new Set<string>()
  for (const { name } of entries) {
    if (!isTreeEntryName(name) || names.has(name)) throw new GitError("invalid", "a name that must not stand in a tree", name.slice(0, 200))
    names.add(name)
  }
  return [...entries].sort((a, b) => byBytes(sortKey(a), sortKey(b)))
}

/** The bytes of a directory whose entries are as `treeEntries` gives them. */
export function formatTree(entries: readonly TreeEntry[]): Buffer {
  const heads = entries.map(({ mode, name }) => `${mode} ${name}\0`)
  const size = entries.reduce((sum, { id }, index) => sum + Buffer.byteLength(heads[index] ?? "") + id.length / 2, 0)
  const bytes = Buffer.alloc(size)
  let at = 0
  for (const [index, { id }] of entries.entries()) {
    at += bytes.write(heads[index] ?? "", at)
    at += bytes.write(id, at, "hex")
  }
  return bytes
}

/** The bytes of a commit; what a signature is made over when it has none. Throws `invalid` for a person without a name or an impossible time. */
export function formatCommit(commit: NewCommit): Buffer {
  const headers = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${personLine(commit.author)}`,
    `committer ${personLine(commit.committer)}`,
  ]
  if (commit.changeId !== undefined) headers.push(`change-id ${commit.changeId}`)
  if (commit.signature !== undefined) {
    const name = commit.tree.length === 40 ? "gpgsig" : "gpgsig-sha256"
    headers.push(`${name} ${commit.signature.trimEnd().split("\n").join("\n ")}`)
  }
  return Buffer.from(`${headers.join("\n")}\n\n${messageText(commit.message)}`)
}

/** Stores a commit. Throws `invalid` for a person without a name or a time that can't be. */
export async function writeCommit(context: Context, repository: Repository, commit: NewCommit): Promise<ObjectId> {
  checkIds(repository, [commit.tree, ...commit.parents])
  return writeLooseObject(context, repository, "commit", formatCommit(commit))
}

/** Stores an annotated tag; the reference to it is the caller's. Throws `invalid`. */
export async function writeTag(context: Context, repository: Repository, tag: NewTag): Promise<ObjectId> {
  checkIds(repository, [tag.object])
  if (!isTagName(tag.name)) throw new GitError("invalid", "not a tag name", tag.name.slice(0, 200))
  const headers = [`object ${tag.object}`, `type ${tag.type}`, `tag ${tag.name}`, `tagger ${personLine(tag.tagger)}`]
  return writeLooseObject(context, repository, "tag", Buffer.from(`${headers.join("\n")}\n\n${messageText(tag.message)}`))
}

/** Reads a small object without a process: one that was just written, or from a pack or a file of its own. Undefined where that is not to be had. */
async function readAtHand(context: Context, repository: Repository, id: ObjectId): Promise<RawObject | undefined> {
  const written = writtenObject(context, repository, id)
  if (written) return written
  const packs = await context.packs()
  await packs.breaks()
  const found = packs.read(repository, id) ?? readLooseFile(repository, id)
  // A repack may have moved it from the one to the other.
  return found ?? (packs.renew(repository) ? packs.read(repository, id) : undefined)
}

/** An object's kind and size, or undefined when it is not there. */
export async function objectInfo(context: Context, repository: Repository, id: ObjectId): Promise<ObjectInfo | undefined> {
  const known = cachedBlob(context, repository, id)
  if (known) return infoOf(id, known)
  const packs = await context.packs()
  await packs.breaks()
  const packed = packs.info(repository, id)
  if (packed) return packed
  const object = await readAtHand(context, repository, id)
  if (!object) return context.readers.info(repository, id)
  cacheBlob(context, repository, id, object)
  return infoOf(id, object)
}

const infoOf = (id: ObjectId, { type, content }: RawObject): ObjectInfo => ({ id, type, size: content.length })

/** A file's size, and its content where that was to be read. */
export interface Looked {
  readonly size: number
  readonly content: Buffer | undefined
}

/**
 * A file's size, and its content where it has at most so many bytes; undefined for what is no file. For what a tree names: its size is cached. Callers must not change the
 * content. Throws `missing`, `tooLarge`.
 */
export async function lookAt(context: Context, repository: Repository, id: ObjectId, most: number): Promise<Looked | undefined> {
  const { sizes } = context.cache
  const key = keyIn(repository, id)
  let object = cachedBlob(context, repository, id)
  let size = object?.content.length ?? sizes.get(key)
  // Most files are small: where they may be read whole, they are at once.
  if (size === undefined && most >= READ_WHOLE) object = await readAtHand(context, repository, id)
  if (size === undefined) {
    const info = object ? infoOf(id, object) : await namedInfo(context, repository, id)
    if (info.type !== "blob") return undefined
    size = info.size
    if (object) cacheBlob(context, repository, id, object)
    if (repository.quarantine === undefined) sizes.set(key, size)
  }
  return { size, content: size > most ? undefined : (object?.content ?? (await readBlob(context, repository, id))) }
}

/** The same for an object that another one or a reference names. Throws `missing`. */
export async function namedInfo(context: Context, repository: Repository, id: ObjectId): Promise<ObjectInfo> {
  const found = await objectInfo(context, repository, id)
  if (found === undefined) throw missing(repository, "object", id)
  return found
}

/** The shortest valid prefix of an id. */
const SHORTEST_ID = 4

/**
 * The id of the one object with this prefix, or undefined if there is none, or several. Loose objects are searched here: a reader that has
 * been running for a while finds the newest of them only by their full ids.
 */
export async function expandId(context: Context, repository: Repository, prefix: string): Promise<ObjectId | undefined> {
  if (isObjectId(prefix, repository.format)) return (await objectInfo(context, repository, prefix))?.id
  if (prefix.length < SHORTEST_ID || !/^[0-9a-f]+$/.test(prefix) || prefix.length > idLength(repository.format)) return undefined
  const found = new Set(await looseIds(repository, prefix))
  const packed = await context.readers.expand(repository, prefix)
  if (packed !== undefined) found.add(packed)
  return found.size === 1 ? [...found][0] : undefined
}

/** Reads an object of this kind as it is stored. Throws `missing`, and `tooLarge` over `limits.objectBytes`. */
export async function readObject(context: Context, repository: Repository, id: ObjectId, type: ObjectType): Promise<RawObject> {
  const found = (await readAtHand(context, repository, id)) ?? (await context.readers.read(repository, id, context.limits.objectBytes))
  if (found?.type !== type) throw missing(repository, type, id)
  return found
}

/** Reads a commit, cached. Throws `missing`. */
export async function readCommit(context: Context, repository: Repository, id: ObjectId): Promise<Commit> {
  const known = context.cache.commits.get(keyIn(repository, id))
  if (known !== undefined) return known
  return kept(context, repository, parseCommit(id, (await readObject(context, repository, id, "commit")).content))
}

/** Reads commits, cached, in the order of the ids. Those that need a process are asked for together. Throws `missing`. */
export async function readCommits(context: Context, repository: Repository, ids: readonly ObjectId[]): Promise<readonly Commit[]> {
  const read = new Map<ObjectId, Commit>()
  const unknown: ObjectId[] = []
  for (const id of new Set(ids)) {
    const commit = await readCommitHere(context, repository, id)
    if (commit) read.set(id, commit)
    else unknown.push(id)
  }
  const objects = await context.readers.readAll(repository, unknown, context.limits.objectBytes)
  for (const [index, id] of unknown.entries()) {
    const object = objects[index]
    if (object?.type !== "commit") throw missing(repository, "commit", id)
    read.set(id, kept(context, repository, parseCommit(id, object.content)))
  }
  return ids.flatMap((id) => read.get(id) ?? [])
}

/** The kinds of many objects, without those that are not there. One process. */
export async function objectTypes(
  context: Context,
  repository: Repository,
  ids: Iterable<ObjectId>,
): Promise<ReadonlyMap<ObjectId, ObjectInfo["type"]>> {
  const asked = [...new Set(ids)]
  const flags = ["--batch-check=%(objecttype)", "--buffer"]
  const input = asked.map((id) => `${id}\n`).join("")
  const { stdout } = await context.processes.run({ name: "cat-file", flags }, { repository, input })
  const lines = stdout.toString("latin1").split("\n")
  return new Map(
    asked.flatMap((id, index) => {
      const type = lines[index] ?? ""
      return isType(type) ? [[id, type] as const] : []
    }),
  )
}

/** Reads a commit, cached, only if that needs no process. */
export async function readCommitHere(context: Context, repository: Repository, id: ObjectId): Promise<Commit | undefined> {
  const known = context.cache.commits.get(keyIn(repository, id))
  if (known !== undefined) return known
  const found = await readAtHand(context, repository, id)
  return found?.type === "commit" ? kept(context, repository, parseCommit(id, found.content)) : undefined
}

function kept({ cache }: Context, repository: Repository, commit: Commit): Commit {
  // Objects in quarantine may be discarded.
  if (repository.quarantine === undefined) cache.commits.set(keyIn(repository, commit.id), commit)
  return commit
}

/** Reads an annotated tag. Throws `missing`. */
export async function readTag(context: Context, repository: Repository, id: ObjectId): Promise<Tag> {
  return parseTag(id, (await readObject(context, repository, id, "tag")).content)
}

/** Reads a directory, cached. Throws `missing`. */
export async function readTree(context: Context, repository: Repository, id: ObjectId): Promise<readonly TreeEntry[]> {
  const { trees } = context.cache
  const key = keyIn(repository, id)
  const known = trees.get(key)
  if (known !== undefined) return known
  const entries = parseTree(repository.format, (await readObject(context, repository, id, "tree")).content)
  if (repository.quarantine === undefined) trees.set(key, entries)
  return entries
}

/** Reads a file's content whole; small ones are cached. Callers must not change it. Throws `missing`, and `tooLarge` over `limits.objectBytes`. */
export async function readBlob(context: Context, repository: Repository, id: ObjectId): Promise<Buffer> {
  const object = cachedBlob(context, repository, id) ?? (await readObject(context, repository, id, "blob"))
  cacheBlob(context, repository, id, object)
  return object.content
}

function cachedBlob({ cache }: Context, repository: Repository, id: ObjectId): RawObject | undefined {
  const content = cache.blobs.get(keyIn(repository, id))
  return content && { type: "blob", content }
}

function cacheBlob({ cache }: Context, repository: Repository, id: ObjectId, { type, content }: RawObject): void {
  const key = keyIn(repository, id)
  if (type === "blob" && isSmall(content.length) && repository.quarantine === undefined && !cache.blobs.has(key))
    cache.blobs.set(key, compact(content))
}

/** Files up to this size are read whole, which takes no longer than starting a process. */
const READ_WHOLE = 1024 * 1024

/**
 * Opens a file's content as a stream, which must be read to its end or destroyed. A large file has a process of its own, which starts with the first read:
 * clients may take their time, and must not hold a reader meanwhile. Throws `missing`; the stream fails with `busy`, `aborted`.
 */
export async function streamBlob(
  context: Context,
  repository: Repository,
  id: ObjectId,
): Promise<{ readonly size: number; readonly content: Readable }> {
  const found = await objectInfo(context, repository, id)
  if (found?.type !== "blob") throw missing(repository, "blob", id)
  const { size } = found
  if (size <= READ_WHOLE) return { size, content: Readable.from([await readBlob(context, repository, id)], { objectMode: false }) }
  return {
    size,
    content: outputOf(context, context.downloads, repository, { name: "cat-file", args: ["blob", id] }),
  }
}
