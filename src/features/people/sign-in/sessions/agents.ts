/** Browsers and systems by what tells them apart in User-Agent; the first that fits. Others' names come with those that they are made of. */
const BROWSERS = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//],
  ["Safari", /\bVersion\/[\d.]+ .*Safari\//],
  ["curl", /^curl\//],
] as const

const SYSTEMS = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b|\bMacintosh\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b|\bX11\b/],
] as const

const LONGEST = 512

/** The family of the browser and its system, such as "Firefox on Linux"; "" where neither is known. Nothing of what a client sends is in it. */
export function agentFamily(userAgent: string | undefined): string {
  const text = (userAgent ?? "").slice(0, LONGEST)
  const nameIn = (known: readonly (readonly [string, RegExp])[]) => known.find(([, pattern]) => pattern.test(text))?.[0]
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)]
  if (browser === undefined || system === undefined) return browser ?? system ?? ""
  return `${browser} on ${system}`
}
