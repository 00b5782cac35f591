import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose"
import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { identityRequest } from "../../../features/actions/oidc/tokens.ts"
import { writeJwt } from "../../../features/actions/tokens/runtime-token.ts"
import { endTask, type RunningJob, runJob } from "./testing.ts"

const GRANTED = JSON.stringify({ contents: "read", "id-token": "write" })

withHearth("identity tokens of jobs", { people: ["ann"] }, ({ test, forge, ann }) => {
  const services = () => forge.hearth.services
  const issuer = () => `${forge.hearth.url}/api/actions/oidc`

  test.beforeAll(async () => {
    await forge.call(ann, "POST /user/repos", { name: "lamp", auto_init: true, default_branch: "main", private: true })
  })

  const requestOf = (job: RunningJob, permissions = GRANTED, is_untrusted: 0 | 1 = 0) => {
    const found = identityRequest(services(), forge.hearth.url, job, { job: { permissions }, run: { is_untrusted } })
    if (!found) throw new Error("this job gets no identity tokens")
    return found
  }
  const ask = async (url: string, token: string | undefined, audience?: string) => {
    const answer = await fetch(url + (audience === undefined ? "" : `&audience=${encodeURIComponent(audience)}`), {
      headers: token === undefined ? {} : { authorization: `bearer ${token}` },
    })
    const text = await answer.text()
    return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) }
  }
  const json = async (path: string) => JSON.parse(await (await fetch(issuer() + path)).text())

  test("are verified by their discovery document and keys, and say what runs where", async () => {
    const annId = (await forge.call(ann, "GET /user")).body.id
    const job = await runJob(forge, "ann/lamp", { actor_id: annId }, { permissions: GRANTED })
    const { url, token } = requestOf(job)
    const { status, body } = await ask(url, token, "sts.example.com")
    expect(status).toBe(200)
    const discovery = await json("/.well-known/openid-configuration")
    expect(discovery).toMatchObject({ issuer: issuer(), id_token_signing_alg_values_supported: ["RS256"] })
    const keys = createRemoteJWKSet(new URL(discovery.jwks_uri))
    const { payload, protectedHeader } = await jwtVerify(body.value, keys, {
      issuer: discovery.issuer,
      audience: "sts.example.com",
      algorithms: ["RS256"],
    })
    expect(protectedHeader.kid).toMatch(/^[\w-]{43}$/)
    const { jti, iat = 0, nbf, exp, repository_id, repository_owner_id, run_number, ...claims } = payload
    expect([nbf, exp]).toEqual([iat, iat + 300])
    expect(claims).toEqual({
      iss: issuer(),
      aud: "sts.example.com",
      sub: "repo:ann/lamp:ref:refs/heads/main",
      repository: "ann/lamp",
      repository_owner: "ann",
      repository_visibility: "private",
      ref: "refs/heads/main",
      ref_type: "branch",
      sha: "a".repeat(40),
      base_ref: "",
      event_name: "push",
      actor: "ann",
      actor_id: String(annId),
      workflow: "Build",
      workflow_ref: "ann/lamp/.gitea/workflows/build.yml@refs/heads/main",
      workflow_sha: "a".repeat(40),
      job_workflow_ref: "ann/lamp/.gitea/workflows/build.yml@refs/heads/main",
      job_workflow_sha: "a".repeat(40),
      run_id: String(job.runId),
      run_attempt: "1",
      runner_environment: "self-hosted",
    })
    expect(Object.keys(payload).filter((name) => !discovery.claims_supported.includes(name))).toEqual([])
    const again = await ask(url, token)
    expect(decodeJwt(again.body.value)).toMatchObject({ aud: `${forge.hearth.url}/ann` })
    expect(decodeJwt(again.body.value).jti).not.toBe(jti)
    await expect(jwtVerify(`${body.value.slice(0, -4)}AAAA`, keys)).rejects.toThrow()
    await expect(jwtVerify(body.value, keys, { audience: "other" })).rejects.toThrow()
  })

  test("say that a job runs for a pull request, or for a tag", async () => {
    const subject = async (run: Parameters<typeof runJob>[2]) => {
      const { url, token } = requestOf(await runJob(forge, "ann/lamp", run, { permissions: GRANTED }))
      const { sub, ref_type } = decodeJwt((await ask(url, token)).body.value)
      return [sub, ref_type]
    }
    expect(await subject({ event: "pull_request", ref: "refs/pull/1/head" })).toEqual(["repo:ann/lamp:pull_request", ""])
    expect(await subject({ ref: "refs/tags/v1" })).toEqual(["repo:ann/lamp:ref:refs/tags/v1", "tag"])
  })

  test("are for jobs that may have them, never for code of a fork", async () => {
    const of = (permissions: string, is_untrusted: 0 | 1 = 0) =>
      identityRequest(services(), forge.hearth.url, { taskId: 1 }, { job: { permissions }, run: { is_untrusted } })
    for (const permissions of ["{}", '{"id-token":"read"}', '{"contents":"write"}', "null", "[]"]) expect(of(permissions)).toBeUndefined()
    expect(of(GRANTED, 1)).toBeUndefined()
    // The token alone doesn't help: the rows decide.
    for (const [permissions, is_untrusted] of [
      ["{}", 0],
      [GRANTED, 1],
    ] as const) {
      const job = await runJob(forge, "ann/lamp", { is_untrusted }, { permissions })
      const { url, token } = requestOf(job)
      expect((await ask(url, token)).status).toBe(403)
    }
  })

  test("are refused for other tokens, after the end, and with unusable audiences", async () => {
    const job = await runJob(forge, "ann/lamp", {}, { permissions: GRANTED })
    const { url, token } = requestOf(job)
    const late = writeJwt(services(), "actions identity request", { TaskID: job.taskId, exp: services().now() })
    for (const wrong of [undefined, "x", job.token, `${token}x`, late, writeJwt(services(), "else", { TaskID: job.taskId, exp: 1e12 })])
      expect((await ask(url, wrong)).status).toBe(401)
    expect((await ask(url, token, "")).status).toBe(422)
    expect((await ask(url, token, "x".repeat(256))).status).toBe(422)
    expect((await ask(`${url}&audience=a`, token, "b")).status).toBe(422)
    await endTask(forge, job, "cancelling")
    expect((await ask(url, token)).status).toBe(200)
    await endTask(forge, job)
    expect((await ask(url, token)).status).toBe(401)
  })

  test("keys are sealed, replaced after three months, and shown for a while longer", async () => {
    const job = await runJob(forge, "ann/lamp", {}, { permissions: GRANTED })
    const { url, token } = requestOf(job)
    const { database, now } = services()
    const rows = () => database.read.selectFrom("job_identity_keys").selectAll().orderBy("id").execute()
    const age = (seconds: number) =>
      database.write((tx) =>
        tx
          .updateTable("job_identity_keys")
          .set({ created_at: now() - seconds })
          .execute(),
      )
    await ask(url, token)
    expect(await rows()).toHaveLength(1)
    expect(JSON.stringify(await rows())).not.toContain("PRIVATE")
    for (const key of (await json("/.well-known/jwks")).keys)
      expect(Object.keys(key).sort()).toEqual(["alg", "e", "kid", "kty", "n", "use"])
    await age(90 * 86_400)
    const first = (await json("/.well-known/jwks")).keys
    const { value } = (await ask(url, token)).body
    const both = (await json("/.well-known/jwks")).keys
    expect([first.length, both.length]).toEqual([1, 2])
    await jwtVerify(value, createRemoteJWKSet(new URL(`${issuer()}/.well-known/jwks`)))
    await age(91 * 86_400)
    expect((await json("/.well-known/jwks")).keys).toEqual([])
    await ask(url, token)
    expect(await rows()).toHaveLength(1)
  })
})
