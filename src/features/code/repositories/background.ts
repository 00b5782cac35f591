import { type Background, createBackground } from "../../../core/background.ts"
import type { Services } from "../../../core/services.ts"
import type { Git } from "../../../git/index.ts"

/** How much of what pages ask for may wait, for one repository and in all, and how long each may take in milliseconds. */
const LIMITS = { perLane: 20, total: 200, timeoutMs: 60_000 } as const

const opened = new WeakMap<Git, Background>()

/** What is computed for pages in the background, one at a time for each repository. */
export function backgroundOf({ git, log }: Pick<Services, "git" | "log">): Background {
  const there = opened.get(git)
  if (there) return there
  // A busy or closing server does it when it is asked again.
  const onError = (error: unknown) => log.debug({ err: error }, "what a page asked for was not computed")
  const made = createBackground({ ...LIMITS, onError })
  opened.set(git, made)
  return made
}
