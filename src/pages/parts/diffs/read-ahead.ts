import type { Readable } from "node:stream"

/**
 * The files of a unified diff as git writes it, each as its text, as soon as git has written the next one. Git's output is taken in as fast as it comes, so
 * that no process waits for the reader of a page, up to a number of bytes: then it ends, with a file that may be incomplete.
 */
export async function* sectionsOf(stream: Readable, most: number): AsyncGenerator<string> {
  const ready: string[] = []
  const state: { ended: boolean; error?: unknown } = { ended: false }
  let wake = () => {}
  const reading = (async () => {
    try {
      for await (const section of split(stream, most)) {
        ready.push(section)
        wake()
      }
    } catch (error) {
      state.error = error
    }
    state.ended = true
    wake()
  })()
  try {
    for (;;) {
      for (let section = ready.shift(); section !== undefined; section = ready.shift()) yield section
      if (state.ended) break
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      await promise
    }
    if (state.error !== undefined) throw state.error
  } finally {
    stream.destroy()
    await reading
  }
}

const HEAD = Buffer.from("\ndiff --git ")

async function* split(stream: Readable, most: number): AsyncGenerator<string> {
  /** Of the file that is being read. */
  let parts: Buffer[] = []
  let size = 0
  const take = (): string => {
    const section = Buffer.concat(parts).toString("utf8")
    parts = []
    return section
  }
  for await (const chunk of stream) {
    let bytes = Buffer.from(chunk)
    size += bytes.length
    // A head may begin in one chunk and end in the next.
    const last = parts.pop()
    const seen = last ? Math.max(0, last.length - HEAD.length) : 0
    if (last && last.length < HEAD.length) bytes = Buffer.concat([last, bytes])
    else if (last) {
      parts.push(last.subarray(0, seen))
      bytes = Buffer.concat([last.subarray(seen), bytes])
    }
    let from = 0
    for (let at = bytes.indexOf(HEAD); at >= 0; at = bytes.indexOf(HEAD, from)) {
      parts.push(bytes.subarray(from, at + 1))
      yield take()
      from = at + 1
    }
    parts.push(bytes.subarray(from))
    if (size > most) break
  }
  if (parts.length > 0) yield take()
}
