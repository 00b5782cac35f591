/** Deeper values are left to JSON.stringify as they are: a pull request in a list has a repository at this depth. */
const DEPTH = 5
const FIRST_BYTES = 64 * 1024
/** A longer buffer, of an unusually long answer, is not kept. */
const MOST_KEPT_BYTES = 1024 * 1024
/** Bytes of UTF-8 for each unit of a JavaScript string, at most. */
const BYTES_EACH = 3

let buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
const names = new Map<string, string>()
/** The names of members of records are few; those of what else is answered, such as languages, are not. */
const MOST_NAMES = 5_000

/**
 * What `JSON.stringify` would write, in UTF-8. In a list the same person or repository stands in many records, as the same object: it is written once and copied after that, which takes
 * a third of the time for a list of pull requests.
 */
export function jsonBytes(value: unknown): Buffer {
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
    if (pending === "") return
    reserve(pending.length * BYTES_EACH)
    end += buffer.write(pending, end)
    pending = ""
  }
  function writeValue(member: unknown, depth: number): void {
    if (typeof member === "object" && member !== null && depth > 0) writeObject(member, depth)
    else pending += JSON.stringify(member) ?? "null"
  }
  function writeObject(object: object, depth: number): void {
    const known = written.get(object)
    flush()
    if (known !== undefined) {
      const [from, to] = known
      reserve(to - from)
      buffer.copyWithin(end, from, to)
      end += to - from
      return
    }
    const from = end
    if (Array.isArray(object)) writeList(object, depth)
    else if ("toJSON" in object) pending += JSON.stringify(object)
    else writeMembers(object, depth)
    flush()
    written.set(object, [from, end])
  }
  function writeList(list: readonly unknown[], depth: number): void {
    pending += "["
    list.forEach((member, index) => {
      if (index > 0) pending += ","
      writeValue(member, depth - 1)
    })
    pending += "]"
  }
  function writeMembers(object: object, depth: number): void {
    let isFirst = true
    for (const [name, member] of Object.entries(object)) {
      if (member === undefined || typeof member === "function" || typeof member === "symbol") continue
      pending += isFirst ? `{${quoted(name)}` : `,${quoted(name)}`
      isFirst = false
      writeValue(member, depth - 1)
    }
    pending += isFirst ? "{}" : "}"
  }

  writeValue(value, DEPTH)
  flush()
  const bytes = Buffer.allocUnsafeSlow(end)
  buffer.copy(bytes, 0, 0, end)
  if (buffer.length > MOST_KEPT_BYTES) buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  return bytes
}

function quoted(name: string): string {
  const known = names.get(name)
  if (known !== undefined) return known
  const text = `${JSON.stringify(name)}:`
  if (names.size < MOST_NAMES) names.set(name, text)
  return text
}
