import { hash } from "node:crypto"
import { LRUCache } from "lru-cache"
import type { Services } from "../../../core/services.ts"
import type { Site } from "../../../core/site.ts"
import { type TextSet, textSet } from "../../../core/text/text-set.ts"
import { beginWork, type Work } from "../../../core/work.ts"
import { issuerOf } from "../oidc/tokens.ts"
import { confidentialTexts, type TaskOfJob } from "./content.ts"

/** What must not be read in the logs and summaries of jobs. Runners mask it as well; old ones not all of it. */

/** Shorter texts would mask parts of ordinary words. */
const SHORTEST_MASKED = 4
const MASK = "***"

/** Replaces what is confidential in what a task sends. */
export interface Masking {
  /** Lets others have their turn. */
  readonly mask: (text: string, work: Work) => Promise<string>
  /** The characters of the texts that are looked for. */
  readonly size: number
}

/** The masking of what tasks send. Kept for a while, because reading their secrets costs several queries and a decryption. */
export interface Masks {
  readonly of: (task: TaskOfJob) => Promise<Masking>
}

/** The most characters of secrets that are looked for, with the lines of those that have several: some 60 MB. Where a job has more, nothing of what it sends is shown. */
const MOST_CHARACTERS = 2 ** 21
/** The most characters of all tasks whose maskings are kept. */
const MOST_KEPT = 2 * MOST_CHARACTERS

/** A work for masking what a task sends. */
export const workOfMasking = ({ config }: Pick<Services, "config">): Work =>
  beginWork({ what: "mask the secrets in what a job sends", steps: config.limits.workSteps })

export function openMasks(services: Services): Masks {
  const limits = { max: 1_000, maxSize: MOST_KEPT, ttl: 600_000 }
  // Tasks with the same secrets share what is compiled of them.
  const sets = new LRUCache<string, Promise<TextSet>>(limits)
  const known = new LRUCache<number, Promise<Masking>>(limits)
  const compile: Compile = (texts) => {
    const digest = hash("sha256", JSON.stringify(texts))
    const found = sets.get(digest)
    if (found) return found
    const made = textSet(texts, workOfMasking(services))
    sets.set(digest, made, { size: charactersOf(texts) + 1 })
    made.catch(() => sets.delete(digest))
    return made
  }
  return {
    of(task) {
      const found = known.get(task.id)
      if (found) return found
      const made = maskingOf(services, task, compile)
      known.set(task.id, made, { size: 1 })
      made.then(
        ({ size }) => known.set(task.id, made, { size: size + 1 }),
        () => known.delete(task.id),
      )
      return made
    },
  }
}

type Compile = (texts: readonly string[]) => Promise<TextSet>

const charactersOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0)

async function maskingOf(services: Services, task: TaskOfJob, compile: Compile): Promise<Masking> {
  const { token, secrets } = await confidentialTexts(services, task)
  const texts = [...new Set(secrets)].filter((text) => text.trim().length >= SHORTEST_MASKED).toSorted()
  const size = charactersOf(texts)
  if (size > MOST_CHARACTERS) return { mask: async (text) => (text.trim() === "" ? text : MASK), size: 0 }
  const set = await compile(texts)
  const ofJobs = withoutTokens(services.site)
  const mask: Masking["mask"] = async (sent, work) => {
    const text = sent.replaceAll(token, MASK)
    return ofJobs(masked(text, await set.placesIn(text, work)))
  }
  return { mask, size }
}

function masked(text: string, places: readonly (readonly [from: number, to: number])[]): string {
  if (places.length === 0) return text
  const kept = places.map(([from], index) => text.slice(places[index - 1]?.[1] ?? 0, from))
  return [...kept, text.slice(places.at(-1)?.[1])].join(MASK)
}

/**
 * Masks the tokens that jobs are given as JWTs, for whichever job: runtime tokens, those to ask for identity tokens with, and identity tokens. They are told by
 * their claims, since the last are made anew for each request. Takes linear time.
 */
export function withoutTokens(site: Site): (text: string) => string {
  // As they are written when they are issued; reading them as JSON would cost much more for texts that only look like them.
  const marks = ['"TaskID":', `"iss":${JSON.stringify(issuerOf(site))}`]
  const isOurs = (payload: string): boolean => {
    if (!payload.startsWith("eyJ")) return false
    const claims = Buffer.from(payload, "base64url").toString("utf8")
    return marks.some((mark) => claims.includes(mark))
  }
  const maskIn = (dotted: string): string => {
    const parts = dotted.split(".")
    const kept: string[] = []
    for (let at = 0; at < parts.length; at++) {
      const [header = "", payload = "", signature] = parts.slice(at, at + 3)
      const start = header.indexOf("eyJ")
      if (start < 0 || signature === undefined || !isOurs(payload)) kept.push(header)
      else {
        kept.push(header.slice(0, start) + MASK)
        at += 2
      }
    }
    return kept.join(".")
  }
  return (text) => (text.includes("eyJ") ? text.replaceAll(/[\w.-]+/g, maskIn) : text)
}
