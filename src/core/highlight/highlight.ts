import { LRUCache } from "lru-cache"
import { Refusal } from "../errors.ts"
import { type Html, trusted } from "../html.ts"
import { t } from "../language/message.ts"
import { linesOf } from "../text/lines.ts"
import type { TextWorker } from "../worker.ts"
import { type Grammar, grammarNamed, grammarOfFile } from "./grammars.ts"
import { codeToHtml, hasInvisible } from "./invisible.ts"
import { HIGHLIGHT_LIMITS, isWithinLimits } from "./limits.ts"
import type { Task } from "./thread.ts"

/**
 * The one way from code to HTML with colours: files, diffs, search results. It knows no feature. highlight.js is loaded by the first call, in a thread of
 * its own. Blocks of code in Markdown go through the same functions, in the thread of Markdown.
 */

export interface Code {
  /** The name of the file, or its path; it says the language. */
  readonly name?: string
  /** The language, by a name or an ending, if something other than the file's name says it. */
  readonly language?: string | undefined
  readonly text: string
  /** The id of the blob, under which the result is kept for the next reader. Without it nothing is kept. */
  readonly id?: string
  /**
   * How long the caller waits, by default as long as it takes. After that the lines come without colours, and those that were begun are kept for the next
   * reader. With 0 only what is kept has colours.
   */
  readonly patienceMs?: number
}

export interface HighlightedCode {
  /** HTML for each line, complete in itself, without the end of the line: an end of the text's last line begins no other. */
  readonly lines: readonly Html[]
  /** What the colours are of; undefined where there are none: for an unknown language, or a text that is too much or takes too long. */
  readonly grammar: Grammar | undefined
  /** There are characters that can't be seen. They are shown as their numbers. */
  readonly hasInvisible: boolean
  /** Colours are still being made, or were not begun on a busy machine: asked again later, they may be there. */
  readonly isPending: boolean
}

/** Loading takes long on a busy machine, and is not the text's fault. */
const LOADING_MS = 10_000
/** Usual texts take a tenth of this; it is for those that are made to be slow, and for busy machines. */
const deadlineFor = (length: number): number => Math.max(2_000, Math.ceil(length * 0.01))
/** How long a text waits for those before it. */
const WAIT_MS = 5_000

/** A text that took too long is tried again after this. */
const PLAIN_MS = 10 * 60_000

export interface Highlighter {
  /**
   * The lines of a code with colours. A text that is too much, takes too long, or has to wait too long comes without. Without colours it takes some 10 ms
   * for each MB in the server's own thread: callers show the beginning of large texts. Throws only what a defect throws.
   */
  lines(code: Code): Promise<HighlightedCode>
}

export interface HighlighterOptions {
  /** How much memory the results may take that are kept. */
  readonly cacheBytes: number
  /** How long a text of this length may take, once its grammar is loaded. */
  readonly deadlineMs?: (length: number) => number
}

interface Result extends Omit<HighlightedCode, "lines" | "isPending"> {
  readonly html: string
  /** How long it may be kept; undefined for as long as there is room. */
  readonly keepMs?: number
}

/** A highlighter with a thread, which ends when it isn't used, and a cache. */
export function openHighlighter({ cacheBytes, deadlineMs = deadlineFor }: HighlighterOptions): Highlighter {
  const cache =
    cacheBytes === 0
      ? undefined
      : new LRUCache<string, Result>({ maxSize: cacheBytes, sizeCalculation: ({ html }, key) => 200 + 2 * (html.length + key.length) })
  const underWay = new Map<string, Promise<Result>>()
  let worker: Promise<TextWorker<Task, never, never, string>> | undefined

  /** Undefined for a text that takes too long; "busy" if there was no time for it. */
  async function coloured(code: string, grammar: Grammar): Promise<{ readonly html: string } | "busy" | undefined> {
    worker ??= import("../worker.ts").then(({ openWorker }) =>
      openWorker({
        name: "highlighting",
        what: t("texts"),
        module: "core/highlight/thread",
        memoryMb: 256,
        queue: 256,
        waitMs: WAIT_MS,
      }),
    )
    const { run } = await worker
    try {
      if ((await run({ grammar }, LOADING_MS)) === undefined) return "busy"
      const html = await run({ grammar, code }, deadlineMs(code.length))
      return html === undefined ? undefined : { html }
    } catch (error) {
      if (error instanceof Refusal && error.kind === "busy") return "busy"
      throw error
    }
  }

  async function resultOf(lines: readonly string[], code: string, grammar: Grammar | undefined): Promise<Result> {
    if (grammar === undefined || !isWithinLimits(lines, code)) return plain(lines, code)
    const found = await coloured(code, grammar)
    if (found === "busy") return { ...plain(lines, code), keepMs: 0 }
    return found ? { html: found.html, grammar, hasInvisible: hasInvisible(code) } : { ...plain(lines, code), keepMs: PLAIN_MS }
  }

  async function makeOnce(key: string, lines: readonly string[], code: string, grammar: Grammar): Promise<Result> {
    const making = resultOf(lines, code, grammar)
    underWay.set(key, making)
    try {
      const made = await making
      if (made.keepMs !== 0) cache?.set(key, made, made.keepMs === undefined ? {} : { ttl: made.keepMs })
      return made
    } finally {
      underWay.delete(key)
    }
  }

  return {
    async lines({ name, language, text, id, patienceMs = Number.POSITIVE_INFINITY }) {
      const lines = linesOf(text)
      const code = lines.join("\n")
      const grammar =
        (language === undefined ? undefined : grammarNamed(language)) ?? (name === undefined ? undefined : grammarOfFile(name))
      const key = id !== undefined && grammar !== undefined && code.length <= HIGHLIGHT_LIMITS.length ? `${grammar} ${id}` : undefined
      const make = () => (key !== undefined && grammar ? makeOnce(key, lines, code, grammar) : resultOf(lines, code, grammar))
      const known = key === undefined ? undefined : (cache?.get(key) ?? underWay.get(key))
      // The first caller may have gone.
      const result = known ? Promise.resolve(known).catch(make) : patienceMs > 0 || grammar === undefined ? make() : plain(lines, code)
      const { html, keepMs, ...rest } = await within(patienceMs, result, () => ({ ...plain(lines, code), keepMs: 0 }))
      const isPending = keepMs === 0 && key !== undefined
      return {
        lines: lines.length === 0 ? [] : html.split("\n").map(trusted),
        grammar: rest.grammar,
        hasInvisible: rest.hasInvisible,
        isPending,
      }
    },
  }
}

const plain = (lines: readonly string[], code: string): Result => ({
  html: lines.map(codeToHtml).join("\n"),
  grammar: undefined,
  hasInvisible: hasInvisible(code),
})

/** The result, or something else if it takes longer. */
async function within(patienceMs: number, result: Promise<Result> | Result, otherwise: () => Result): Promise<Result> {
  if (!(result instanceof Promise) || patienceMs === Number.POSITIVE_INFINITY) return result
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), patienceMs)
  result.catch(() => {})
  try {
    return (await Promise.race([result, promise])) ?? otherwise()
  } finally {
    clearTimeout(timer)
  }
}
