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

/** Large records that stood somewhere before, in this answer or another, and their bytes once these were needed again. Whoever presents a record never changes it afterwards. */
const known = new WeakMap<object, Buffer | undefined>()

/**
 * What `JSON.stringify` would write, in UTF-8. In lists of pull requests, notifications and activities the same repository stands in many records, as the same object, and is most of
 * the answer; so it is in one answer after another. It is written once, and copied after that.
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
  /** Whether one of the large ones stood somewhere before. */
  readonly isRepeated: boolean
}

function largeRecordsIn(value: object): Found {
  const seen = new Set<object>()
  const large = new Set<object>()
  const holders = new Set<object>()
  let isRepeated = false

  /** Whether it is or holds a large record. What a large record holds is not looked at. */
  function look(object: object, depth: number): boolean {
    if (known.has(object)) {
      isRepeated = true
      large.add(object)
      return true
    }
    if (seen.has(object)) return holders.has(object)
    seen.add(object)
    const members = Object.values(object)
    if (members.length >= LARGE && !Array.isArray(object)) {
      known.set(object, undefined)
      large.add(object)
      return true
    }
    if (depth === 0) return false
    let isHolder = false
    for (const member of members) if (typeof member === "object" && member !== null && look(member, depth - 1)) isHolder = true
    if (isHolder) holders.add(object)
    return isHolder
  }

  look(value, DEPTH)
  return { large, holders, isRepeated }
}

function withCopies(value: unknown, { large, holders }: Found): Buffer {
  let end = 0
  let pending = ""

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
    const bytes = known.get(object) ?? Buffer.from(JSON.stringify(object))
    known.set(object, bytes)
    reserve(bytes.length)
    end += bytes.copy(buffer, end)
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
