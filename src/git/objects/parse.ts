import { GitError } from "../model/errors.ts"
import type { Commit, EntryMode, ObjectType, Person, Signature, Tag, TreeEntry } from "../model/model.ts"
import { type ObjectFormat, type ObjectId, objectId } from "../model/names.ts"

interface Header {
  readonly name: string
  readonly value: string
  /** Where the header begins and the next one begins, continuation lines counted in. */
  readonly start: number
  readonly end: number
}

/** Splits an object into its headers and its message. Continuation lines are joined by newlines. */
function split(content: Buffer): { readonly headers: readonly Header[]; readonly body: Buffer } {
  const headers: Header[] = []
  let at = 0
  while (at < content.length && content[at] !== 10) {
    const start = at
    const lines: string[] = []
    do {
      const newline = content.indexOf(10, at)
      const end = newline === -1 ? content.length : newline
      lines.push(content.subarray(lines.length === 0 ? at : at + 1, end).toString("latin1"))
      at = end + 1
    } while (content[at] === 32)
    const text = lines.join("\n")
    const space = text.indexOf(" ")
    const name = space === -1 ? text : text.slice(0, space)
    headers.push({ name, value: space === -1 ? "" : text.slice(space + 1), start, end: Math.min(at, content.length) })
  }
  return { headers, body: content.subarray(Math.min(at + 1, content.length)) }
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** A decoder for the encoding that a commit names; an unknown one is read as UTF-8, as git itself shows it. */
function decoder(encoding: string | undefined): (bytes: Buffer) => string {
  try {
    // Creating one takes longer than everything else in reading a commit.
    const known = encoding === undefined ? utf8 : new TextDecoder(encoding, { ignoreBOM: true })
    return (bytes) => known.decode(bytes)
  } catch {
    return (bytes) => bytes.toString("utf8")
  }
}

/**
 * Reads `Name <mail> 1700000000 +0100`. Real histories contain every kind of damage, so missing parts read as empty or zero:
 * showing an odd line is better than refusing a repository for it.
 */
function person(text: string): Person {
  const open = text.indexOf("<")
  const close = text.lastIndexOf(">")
  const name = (open === -1 ? text : text.slice(0, open)).trim()
  const email = open !== -1 && close > open ? text.slice(open + 1, close).trim() : ""
  const [, seconds = "0", sign = "+", zone = "0"] = /^\s*(-?\d+)(?:\s+([+-])(\d+))?/.exec(close === -1 ? "" : text.slice(close + 1)) ?? []
  const when = Number(seconds)
  const minutes = Math.floor(Number(zone) / 100) * 60 + (Number(zone) % 100)
  // A zone further than a day away is damage, and would carry the date out of the calendar.
  const offset = minutes > 24 * 60 ? 0 : sign === "-" ? 0 - minutes : minutes
  return { name, email, when: Math.abs(when) <= 8.64e12 ? when : 0, offset }
}

function decodedPerson(header: Header | undefined, decode: (bytes: Buffer) => string): Person {
  return person(decode(Buffer.from(header?.value ?? "", "latin1")))
}

function required(headers: readonly Header[], name: string): string {
  const found = headers.find((header) => header.name === name)
  if (found === undefined) throw new GitError("failed", `an object without its header "${name}"`)
  return found.value
}

/** Parses a commit. Throws `failed` when it has no tree. */
export function parseCommit(id: ObjectId, content: Buffer): Commit {
  const { headers, body } = split(content)
  const one = (name: string) => headers.find((header) => header.name === name)
  const decode = decoder(one("encoding")?.value)
  return {
    id,
    tree: objectId(required(headers, "tree")),
    parents: headers.filter((header) => header.name === "parent").map((header) => objectId(header.value)),
    author: decodedPerson(one("author"), decode),
    committer: decodedPerson(one("committer"), decode),
    message: decode(body),
    signature: commitSignature(content, headers),
    ...changeIdOf(one("change-id")?.value),
  }
}

/** A header that is kept when the commit is written anew; an odd one is passed over. */
const changeIdOf = (value: string | undefined): Pick<Commit, "changeId"> =>
  value !== undefined && /^[\w.-]{1,100}$/.test(value) ? { changeId: value } : {}

/** A commit's signature is in a header; the signed payload is the commit without it. */
function commitSignature(content: Buffer, headers: readonly Header[]): Signature | undefined {
  const signatures = headers.filter((header) => header.name === "gpgsig" || header.name === "gpgsig-sha256")
  const [first] = signatures
  if (first === undefined) return undefined
  const pieces: Buffer[] = []
  let from = 0
  for (const { start, end } of signatures) {
    pieces.push(content.subarray(from, start))
    from = end
  }
  return { text: `${first.value}\n`, payload: Buffer.concat([...pieces, content.subarray(from)]) }
}

export const isType = (value: string): value is ObjectType => value === "blob" || value === "tree" || value === "commit" || value === "tag"

/** Parses an annotated tag. Throws `failed` when a header that it needs is missing. */
export function parseTag(id: ObjectId, content: Buffer): Tag {
  const { headers, body } = split(content)
  const type = required(headers, "type")
  if (!isType(type)) throw new GitError("failed", "a tag of something unknown", type)
  const tagger = headers.find((header) => header.name === "tagger")
  const decode = decoder(undefined)
  // A tag's signature is at the end of its message; the signed payload is everything before it.
  const at = Math.max(
    ...["PGP SIGNATURE", "PGP MESSAGE", "SSH SIGNATURE", "SIGNED MESSAGE"].map((kind) => lastLine(body, `-----BEGIN ${kind}-----`)),
  )
  const cut = content.length - body.length + at
  return {
    id,
    object: objectId(required(headers, "object")),
    type,
    name: decode(Buffer.from(required(headers, "tag"), "latin1")),
    tagger: tagger === undefined ? undefined : decodedPerson(tagger, decode),
    message: decode(at === -1 ? body : body.subarray(0, at)),
    signature: at === -1 ? undefined : { text: decode(body.subarray(at)), payload: content.subarray(0, cut) },
  }
}

/** Where the last line that begins with `text` begins, or -1. */
function lastLine(body: Buffer, text: string): number {
  const at = body.lastIndexOf(text)
  return at === 0 || body[at - 1] === 10 ? at : -1
}

/** The modes that versions of git have written, mapped to the five that have a meaning. */
export function entryMode(octal: string): EntryMode {
  const mode = Number.parseInt(octal, 8)
  const kind = mode & 0o170000
  if (kind === 0o040000) return "40000"
  if (kind === 0o160000) return "160000"
  if (kind === 0o120000) return "120000"
  return (mode & 0o100) === 0 ? "100644" : "100755"
}

/** Parses a tree, its entries in the tree's own order. Throws `failed` when it is cut off. */
export function parseTree(format: ObjectFormat, content: Buffer): readonly TreeEntry[] {
  const entries: TreeEntry[] = []
  const idBytes = format === "sha1" ? 20 : 32
  let at = 0
  while (at < content.length) {
    const space = content.indexOf(32, at)
    const nul = content.indexOf(0, space)
    if (space === -1 || nul === -1 || nul + 1 + idBytes > content.length) throw new GitError("failed", "a malformed tree")
    entries.push({
      mode: entryMode(content.subarray(at, space).toString("latin1")),
      name: content.subarray(space + 1, nul).toString("utf8"),
      id: objectId(content.subarray(nul + 1, nul + 1 + idBytes).toString("hex"), format),
    })
    at = nul + 1 + idBytes
  }
  return entries
}
