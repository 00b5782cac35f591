import { describe, expect, test } from "vitest"
import { loadConfig } from "../../../core/config.ts"

describe("the setting oauth2.customSchemes", () => {
  const load = (text: string) => loadConfig({ env: { HEARTH_OAUTH2_CUSTOM_SCHEMES: text }, file: false }).config.oauth2.customSchemes
  test.each(["", "myapp", "com.example.app, x-y+z"])("%j is taken", (text) => {
    expect(load(text)).toBe(text)
  })
  test.each(["javascript", "myapp, data", "vbscript,x", "file", "my app", "1x", "My", "a,,b", "a,"])("%j is refused", (text) => {
    expect(() => load(text)).toThrow(/customSchemes/i)
  })
})
