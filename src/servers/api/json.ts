/** So many members have records that are worth copying: those of repositories. */
const LARGE = 40
/** How deep in an answer such records are looked for: a pull request in a list has a repository at this depth. */
const DEPTH = 4
const FIRST_BYTES = 64 * 1024
/** A longer buffer, of an unusually long answer, is not kept. */
const MOST_KEPT_BYTES = 1024 * 1024
/** Bytes of UTF-8 for each unit of a JavaScript string, at most. */
const BYTES_EACH = 3

let buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)

/**
 * What `JSON.stringify` would write, in UTF-8. In lists of pull requests, notifications and activities the same repository stands in many records, as the same object, and is most of
 * the answer: it is written once, and copied after that.
 */
export function jsonBytes(value: unknown): Buffer {
  const found = typeof value === "object" && value !== null ? largeRecordsIn(value) : undefined
  return found?.isRepeated ? withCopies(value, found) : Buffer.from(JSON.stringify(value))
}

const names = new Map<string, string>()
/** The names of members of records are few. */
const MOST_NAMES = 1_000

function quoted(name: string): string {
  const known = names.get(name)
  if (known !== undefined) return known
  const text = `${JSON.stringify(name)}:`
  if (names.size < MOST_NAMES) names.set(name, text)
  return text
}

interface Found {
  readonly large: ReadonlySet<object>
  /** The objects that hold large ones. */
  readonly holders: ReadonlySet<object>
  readonly isRepeated: boolean
}

function largeRecordsIn(value: object): Found {
  const seen = new Set<object>()
  const large = new Set<object>()
  const holders = new Set<object>()
  let isRepeated = false

  /** Whether it is or holds a large record. */
  function look(object: object, depth: number): boolean {
    if (seen.has(object)) {
      if (large.has(object)) isRepeated = true
      return large.has(object) || holders.has(object)
    }
    seen.add(object)
    const members = Object.values(object)
    let isHolder = false
    for (const member of depth === 0 ? [] : members)
      if (typeof member === "object" && member !== null && look(member, depth - 1)) isHolder = true
    if (isHolder) holders.add(object)
    else if (members.length >= LARGE && !Array.isArray(object)) large.add(object)
    return isHolder || large.has(object)
  }

  look(value, DEPTH)
  return { large, holders, isRepeated }
}

function withCopies(value: unknown, { large, holders }: Found): Buffer {
  let end = 0
  let pending = ""
  const written = new Map<object, readonly [from: number, to: number]>()

  function reserve(bytes: number): void {
    if (end + bytes <= buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, end + bytes))
    buffer.copy(larger, 0, 0, end)
    buffer = larger
  }
  function flush(): void {
    reserve(pending.length * BYTES_EACH)
    end += buffer.write(pending, end)
    pending = ""
  }
  function write(member: unknown): void {
    if (Number.isInteger(member) || typeof member === "boolean" || member === null) pending += String(member)
    else if (typeof member !== "object") pending += JSON.stringify(member) ?? "null"
    else if (large.has(member)) writeLarge(member)
    else if (!holders.has(member)) pending += JSON.stringify(member)
    else if (Array.isArray(member)) writeList(member)
    else writeMembers(member)
  }
  function writeLarge(object: object): void {
    flush()
    const [from, to] = written.get(object) ?? [end, end]
    if (from === to) {
      pending = JSON.stringify(object)
      flush()
      written.set(object, [from, end])
      return
    }
    reserve(to - from)
    buffer.copyWithin(end, from, to)
    end += to - from
  }
  function writeList(list: readonly unknown[]): void {
    pending += "["
    list.forEach((member, index) => {
      if (index > 0) pending += ","
      write(member)
    })
    pending += "]"
  }
  function writeMembers(object: object): void {
    let before = "{"
    for (const [name, member] of Object.entries(object)) {
      if (member === undefined) continue
      pending += before + quoted(name)
      before = ","
      write(member)
    }
    pending += "}"
  }

  write(value)
  flush()
  const bytes = Buffer.allocUnsafeSlow(end)
  buffer.copy(bytes, 0, 0, end)
  if (buffer.length > MOST_KEPT_BYTES) buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  return bytes
}
