import type { Browser } from "playwright-core"
import { afterAll, expect } from "vitest"
import { freshHearth, PASSWORD, type TestHearth } from "../support/hearth.ts"
import { test } from "./browser.ts"

/** Passkeys with a real browser and an authenticator that it simulates; what the server refuses is in src/pages/user/passkeys.test.ts. */

let browser: Browser
let forge: TestHearth

test.beforeAll(async ({ browser: shared }) => {
  forge = await freshHearth("sqlite")
  await forge.person("ann")
  browser = shared
})
afterAll(() => forge?.close())

test("a passkey is added in the browser, and signs in without a password", async () => {
  const root = forge.hearth.services.site.rootUrl
  const context = await browser.newContext()
  const page = await context.newPage()
  const faults: string[] = []
  page.on("pageerror", (error) => faults.push(error.message))
  const devtools = await context.newCDPSession(page)
  await devtools.send("WebAuthn.enable")
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await page.goto(`${root}/user/login?redirect_to=/user/settings/security/passkeys/new`)
  await page.fill("[name=login]", "ann")
  await page.fill("[name=password]", PASSWORD)
  await page.click("main form button.primary")
  await page.fill("[name=name]", "Simulated key")
  await page.click("main form button.primary")
  await page.getByText("Simulated key").first().waitFor()
  await page.context().clearCookies()
  await page.goto(`${root}/user/login?redirect_to=/user/settings/security`)
  const button = page.getByRole("button", { name: "Sign in with a passkey" })
  // A browser that offers passkeys beside the field of the name may have answered by then.
  await button.click({ timeout: 3_000 }).catch(() => undefined)
  await page.waitForURL(`${root}/user/settings/security`, { timeout: 60_000 })
  expect(await page.locator("main").innerText()).toContain("by passkey")
  expect(faults).toEqual([])
})
