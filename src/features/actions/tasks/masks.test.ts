import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { signIdentity } from "../oidc/keys.ts"
import { identityRequest, issuerOf } from "../oidc/tokens.ts"
import { signRuntimeToken } from "../tokens/runtime-token.ts"
import { withoutTokens } from "./masks.ts"

withHearth("masks", {}, ({ test, forge }) => {
  test("hide the tokens of jobs wherever they are in a text, and no other", async () => {
    const { services } = forge.hearth
    const mask = withoutTokens(services.site)
    const runtime = signRuntimeToken(services, { taskId: 1, runId: 2, jobId: 3 })
    const request = identityRequest(
      services,
      "http://here",
      { taskId: 1 },
      { job: { permissions: '{"id-token":"write"}' }, run: { is_untrusted: 0 } },
    )
    const identity = await signIdentity(services, { iss: issuerOf(services.site), sub: "repo:a/b" })
    const foreign = await signIdentity(services, { iss: "https://elsewhere.example", sub: "repo:a/b" })
    for (const token of [runtime, request?.token ?? "", identity]) {
      expect(token).toMatch(/^eyJ/)
      expect(mask(token)).toBe("***")
      expect(mask(`Bearer ${token}, "${token}" a.b.${token}.c x${token}`)).toBe('Bearer ***, "***" a.b.***.c x***')
    }
    for (const text of [foreign, "eyJ", "eyJ.eyJ.x", "a.b.c", "", "eyJhbGciOiJub25lIn0.bm9uZQ.x", "every eyJect."])
      expect(mask(text)).toBe(text)
  })

  test("take no longer for texts that are made to look like tokens", () => {
    const mask = withoutTokens(forge.hearth.services.site)
    for (const text of ["eyJ".repeat(400_000), "eyJ.".repeat(300_000), `${"eyJ.".repeat(2)}${"x".repeat(1_000_000)}`]) {
      expect(mask(text)).toBe(text)
    }
  })
})
