/** What the files of one process share: they are run after each other in it, and both take longer to start than many a test. */
import type { Browser } from "playwright-core"
import { test as base } from "vitest"
import { freshHearth, type TestHearth } from "../support/hearth.ts"
import { launchChromium } from "./chromium.ts"

/** Vitest's `test`, with a browser, in which each test opens contexts of its own, and with a forge of ann's and bob's. */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern that it needs no other fixture
  .extend("browser", { scope: "worker" }, async ({}, { onCleanup }): Promise<Browser> => {
    const browser = await launchChromium()
    onCleanup(() => browser.close())
    return browser
  })
  // For stories, which name what they make after themselves, and change nothing of the whole site.
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern that it needs no other fixture
  .extend("forge", { scope: "worker" }, async ({}, { onCleanup }): Promise<TestHearth> => {
    const forge = await freshHearth("sqlite", { outgoing: { allowedHosts: "loopback" } })
    onCleanup(() => forge.close())
    for (const name of ["ann", "bob"]) await forge.person(name)
    return forge
  })
