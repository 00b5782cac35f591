import { LRUCache } from "lru-cache"
import type { Text } from "./language/message.ts"
import { nextTurn } from "./work.ts"
import type { TextWorker } from "./worker.ts"

/*
 * Documents of users that take long to parse, such as YAML: a microsecond for each byte, which nothing can interrupt. Long ones are parsed in a thread; what was made of a document is
 * kept under the id of its bytes, and callers that ask for it meanwhile wait for the same.
 */

export interface Parser<Made> {
  /**
   * What is made of the text under this key, which tells everything that it depends on. To be shared, so never to be changed. Undefined for a text that takes too long. Refuses
   * `busy` where too many wait. Not to be awaited in a transaction.
   */
  parse(key: string, text: string): Promise<Made | undefined>
}

export interface ParserOptions<Made> {
  /** As for a worker; what runs in the thread is given the text and gives what `parse` would. */
  readonly name: string
  readonly what: Text
  readonly module: string
  readonly parse: (text: string) => Made
}

/** Shorter texts, in UTF-16 units, take less than ten milliseconds, and are parsed where they are. */
const SHORT = 4 * 1024
const DEADLINE_MS = 10_000
/** The sum of the lengths of the texts that something is kept of. What is made of them is some times larger. */
const KEPT = 4 * 1024 * 1024

/** Declares how documents of one kind are parsed. The thread is started by the first long one. */
export function openParser<Made extends object>({ parse, ...options }: ParserOptions<Made>): Parser<Made> {
  const kept = new LRUCache<string, { readonly made: Made | undefined }>({ maxSize: KEPT })
  const underWay = new Map<string, Promise<Made | undefined>>()
  let worker: Promise<TextWorker<string, never, never, Made>> | undefined

  async function make(key: string, text: string): Promise<Made | undefined> {
    const made = text.length <= SHORT ? await nextTurn().then(() => parse(text)) : await inThread(text)
    kept.set(key, { made }, { size: text.length + key.length + 200 })
    return made
  }

  async function inThread(text: string): Promise<Made | undefined> {
    worker ??= import("./worker.ts").then(({ openWorker }) =>
      openWorker({ ...options, memoryMb: 256, queue: 1024, waitMs: 2 * DEADLINE_MS }),
    )
    return (await worker).run(text, DEADLINE_MS)
  }

  return {
    async parse(key, text) {
      const known = kept.get(key)
      if (known) return known.made
      const begun = underWay.get(key)
      if (begun) return begun
      const making = make(key, text).finally(() => underWay.delete(key))
      underWay.set(key, making)
      return making
    },
  }
}
