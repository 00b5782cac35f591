import { afterAll, expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { effortOf } from "../../../../tests/support/effort.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { basic, PASSWORD } from "../../../../tests/support/hearth.ts"
import { objectId } from "../../../git/index.ts"
import { ensureSiteKey, forgetSiteKey, openKey, renewSiteKey } from "./keys.ts"
import { findSiteKeys } from "./keys-store.ts"
import { gitVerifier, type Verifier } from "./testing.ts"

const encode = (text: string) => Buffer.from(text).toString("base64")

for (const kind of ["ssh", "openpgp"] as const)
  withHearth(
    `what the site signs with ${kind}`,
    { people: ["ann", "ben"], config: { signing: { key: kind } } },
    ({ test, forge, call, ann, ben }) => {
      let verifier: Verifier
      test.beforeAll(async () => {
        verifier = await gitVerifier(forge.hearth.url)
        await verifier.trust(kind, (await call(undefined, kind === "ssh" ? "GET /signing-key.pub" : "GET /signing-key.gpg")).body)
      })
      afterAll(() => verifier.close())

      const must = async (route: string, body?: unknown, by = ann) => {
        const answer = await call(by, route, body)
        if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
        return answer.body
      }
      const write = (at: string, file: string, more: object = {}) =>
        must(`POST ${at}/contents/${file}`, { content: encode(file), message: `Write ${file}`, ...more })
      // All that writes commits asks one function to sign: with the second kind of key, one that adds and one that rewrites ask it.
      const styles = kind === "ssh" ? ["merge", "squash", "rebase", "rebase-merge"] : ["merge", "rebase"]
      const signer = { name: "Hearth", email: expect.stringMatching(/^signing@noreply\./), username: "" }

      test("is each commit that it makes, as git itself and the API say", async () => {
        const at = "/repos/ann/all"
        await must("POST /user/repos", { name: "all", auto_init: true })
        const { verification, commit } = await write(at, "a")
        expect(verification).toMatchObject({ verified: true, signer, reason: expect.stringMatching(/^Hearth \/ /) })
        expect(verification.signature).toContain(kind === "ssh" ? "BEGIN SSH SIGNATURE" : "BEGIN PGP SIGNATURE")
        expect(verification.payload).not.toContain("gpgsig")
        for (const style of styles) {
          await write(at, `${style}-1`, { new_branch: style, branch: "main" })
          await write(at, `${style}-2`, { branch: style })
          await write(at, `beside-${style}`)
          const { number } = await must(`POST ${at}/pulls`, { head: style, base: "main", title: style })
          if (style === "merge") await must(`POST ${at}/pulls/${number}/update?style=merge`)
          if (style === "squash") await must(`POST ${at}/pulls/${number}/update?style=rebase`)
          await must(`POST ${at}/pulls/${number}/merge`, { do: style })
        }
        await must(`PUT ${at}/contents/a`, { content: encode("b"), sha: (await must(`GET ${at}/contents/a`)).sha })
        await must(`DELETE ${at}/contents/beside-merge`, { sha: (await must(`GET ${at}/contents/beside-merge`)).sha })
        await must(`POST ${at}/wiki/new`, { title: "Home", content_base64: encode("# Home") })
        await must(`PATCH ${at}/wiki/page/Home`, { title: "Start", content_base64: encode("# Start") })
        await must("PATCH /repos/ann/all", { template: true })
        await must("POST /repos/ann/all/generate", { owner: "ann", name: "generated", git_content: true })
        for (const repository of ["all", "all.wiki", "generated"]) {
          const commits = await verifier.commitsOf(`ann/${repository}`, basic("ann", PASSWORD))
          expect(commits.length).toBeGreaterThanOrEqual(repository === "all" ? 4 + 4 * styles.length : 1)
          expect(commits.filter((one) => one.state !== "G")).toEqual([])
        }
        const listed = await must(`GET ${at}/commits?sha=main&limit=50`)
        expect(listed.every((one: { commit: { verification: object } }) => Reflect.get(one.commit.verification, "verified"))).toBe(true)
        expect((await must(`GET ${at}/git/commits/${commit.sha}`)).commit.verification.verified).toBe(true)
        expect((await must(`GET ${at}/branches/main`)).commit.verification.verified).toBe(true)
        expect((await call(ann, `GET ${at}/signing-key.${kind === "ssh" ? "pub" : "gpg"}`)).status).toBe(200)
        expect((await call(ann, `GET ${at}/signing-key.${kind === "ssh" ? "gpg" : "pub"}`)).status).toBe(404)
      })

      test("is also a merge of a fork's upstream", async () => {
        await must("POST /user/repos", { name: "base", auto_init: true })
        await must("PUT /repos/ann/base/collaborators/ben", { permission: "read" })
        await must("POST /repos/ann/base/forks", { name: "base" }, ben)
        await write("/repos/ann/base", "up")
        await must("POST /repos/ben/base/contents/own", { content: encode("own") }, ben)
        await must("POST /repos/ben/base/merge-upstream", { branch: "main" }, ben)
        const commits = await verifier.commitsOf("ben/base", basic("ben", PASSWORD))
        expect([commits.length, commits.filter((one) => one.state !== "G")]).toEqual([4, []])
      })

      test("is not what names another committer, who could be taken for the signer", async () => {
        await must("POST /user/repos", { name: "names", auto_init: true })
        const as = (file: string, person: object) => write("/repos/ann/names", file, { committer: person })
        const [mine, bens, nobodys] = [
          await as("mine", { name: "Ann", email: "ANN@example.com" }),
          await as("bens", { name: "Ben", email: "ben@example.com" }),
          await as("nobodys", { name: "Linus", email: "linus@example.org" }),
        ]
        expect([mine, bens, nobodys].map((each) => each.verification.verified)).toEqual([true, false, false])
        expect(bens.verification.signature).toBe("")
        const authored = await write("/repos/ann/names", "authored", {
          author: { name: "Ben", email: "ben@example.com" },
          committer: { name: "Ann", email: "ann@example.com" },
        })
        expect(authored.verification.verified).toBe(true)
      })

      test("can't be taken over to another commit", async () => {
        const at = "/repos/ann/copied"
        await must("POST /user/repos", { name: "copied", auto_init: true })
        const { services } = forge.hearth
        const row = await services.database.read
          .selectFrom("repositories")
          .selectAll()
          .where("name", "=", "copied")
          .executeTakeFirstOrThrow()
        const repository = services.git.at(row.storage, "sha1")
        const made = await services.git.objects.readCommit(repository, objectId((await write(at, "a")).commit.sha))
        const forged = await services.git.objects.writeCommit(repository, {
          ...made,
          message: "forged\n",
          signature: made.signature?.text ?? "",
        })
        const { verification } = (await must(`GET ${at}/git/commits/${forged}`)).commit
        expect(verification).toMatchObject({ verified: false, reason: "gpg.error.probable_bad_signature", signer: null })
      })

      test("satisfies rules that demand signatures", async () => {
        const at = "/repos/ann/strict"
        await must("POST /user/repos", { name: "strict", auto_init: true })
        await must(`POST ${at}/branch_protections`, { rule_name: "main", enable_push: true, require_signed_commits: true })
        await write(at, "allowed")
        const refused = await call(ann, `POST ${at}/contents/refused`, {
          content: "",
          committer: { name: "Ben", email: "ben@example.com" },
        })
        expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining("unverified commit")])
        for (const style of styles) {
          await write(at, style, { new_branch: `${style}-head`, branch: "main" })
          await write(at, `beside-${style}`)
          const { number } = await must(`POST ${at}/pulls`, { head: `${style}-head`, base: "main", title: style })
          await must(`POST ${at}/pulls/${number}/merge`, { do: style })
        }
      })

      test("stays verified when the key is replaced, and not when it is forgotten", async () => {
        const { services } = forge.hearth
        const at = "/repos/ann/rotated"
        await must("POST /user/repos", { name: "rotated", auto_init: true })
        const before = (await write(at, "before")).commit.sha
        const [old] = await findSiteKeys(services.database.read)
        const now = await renewSiteKey(services, kind)
        const after = (await write(at, "after")).commit.sha
        const verified = async (sha: string) => (await must(`GET ${at}/git/commits/${sha}`)).commit.verification
        expect([(await verified(before)).verified, (await verified(after)).reason]).toEqual([true, `Hearth / ${now.key_id}`])
        const published = (await call(undefined, kind === "ssh" ? "GET /signing-key.pub" : "GET /signing-key.gpg")).body
        await verifier.trust(kind, published)
        expect((await verifier.commitsOf("ann/rotated", basic("ann", PASSWORD))).map(({ state }) => state)).toEqual(["G", "G", "G"])
        if (kind === "ssh") expect(published.trim().split("\n").length).toBe(2)
        // Its private half is gone.
        expect((await findSiteKeys(services.database.read)).map(({ sealed_key }) => sealed_key === "")).toEqual([false, true])
        expect([await forgetSiteKey(services, now.key_id), await forgetSiteKey(services, old?.key_id ?? "")]).toEqual([false, true])
        expect([(await verified(before)).verified, (await verified(after)).verified]).toEqual([false, true])
      })

      test("costs little", async () => {
        const { services } = forge.hearth
        const [row] = await findSiteKeys(services.database.read)
        if (!row) throw new Error("there is one")
        const sign = await openKey(services, row)
        const rounds = 200
        const seconds = await effortOf(async () => {
          for (let round = 0; round < rounds; round++) await sign(Buffer.from(`${round}`.padEnd(300, "x")), new Date())
        })
        if (process.env.HEARTH_TEST_SAY) console.log(`${kind}: ${((seconds / rounds) * 1e6).toFixed(0)} µs for a signature`)
        expect(seconds / rounds).toBeLessThan(0.05)
      })
    },
  )

withHearth("keys that the site keeps for users", { people: ["ann", "ben"] }, ({ test, forge, call, ann, ben }) => {
  const write = async (file: string, by = ann, more: object = {}) =>
    (await call(by, `POST /repos/ann/kept/contents/${file}`, { content: encode(file), ...more })).body

  test("sign their owners' commits, which are their own by name and by git's word", async () => {
    const verifier = await gitVerifier(forge.hearth.url)
    expect((await call(ann, "POST /user/repos", { name: "kept" })).status).toBe(201)
    await call(ann, "PUT /repos/ann/kept/collaborators/ben", { permission: "write" })
    expect((await call(ann, "GET /signing-key.pub")).status).toBe(404)
    expect((await write("before")).verification).toMatchObject({ verified: false, signature: "" })
    const kept = await call(ann, "POST /user/signing_keys")
    expect([kept.status, kept.body]).toEqual([
      201,
      {
        fingerprint: expect.stringMatching(/^SHA256:/),
        key: expect.stringMatching(/^ssh-ed25519 /),
        is_current: true,
        created_at: expect.any(String),
      },
    ])
    expect((await call(ann, "POST /user/signing_keys")).status).toBe(409)
    const made = await write("a")
    expect(made.verification).toMatchObject({
      verified: true,
      reason: `ann / ${kept.body.fingerprint}`,
      signer: { name: "ann", email: "ann@example.com", username: "ann" },
    })
    expect((await write("b", ben)).verification).toMatchObject({ verified: false, signature: "" })
    // In someone else's name it signs nothing.
    expect((await write("c", ann, { committer: { name: "Ben", email: "ben@example.com" } })).verification.signature).toBe("")
    await verifier.trust("ssh", (await call(undefined, "GET /users/ann/signing_keys")).body[0].key)
    expect((await verifier.commitsOf("ann/kept", basic("ann", PASSWORD))).map(({ state }) => state)).toEqual(["N", "N", "G", "N"])
    // No one takes it over by registering its public half, and it lets no one in.
    expect((await call(ben, "POST /user/keys", { title: "ann's", key: kept.body.key })).status).toBe(201)
    expect((await call(ann, `GET /repos/ann/kept/git/commits/${made.commit.sha}`)).body.commit.verification.signer.username).toBe("ann")

    expect([(await call(ann, "DELETE /user/signing_keys")).status, (await call(ann, "DELETE /user/signing_keys")).status]).toEqual([
      204, 404,
    ])
    expect((await write("d")).verification.signature).toBe("")
    expect((await call(ann, `GET /repos/ann/kept/git/commits/${made.commit.sha}`)).body.commit.verification.verified).toBe(true)
    expect((await call(ann, "GET /users/ann/signing_keys")).body).toEqual([{ ...kept.body, is_current: false }])
    await verifier.close()
  })
})

withHearth("keys that are asked for at once", { people: ["ben"], on: databaseKinds }, ({ test, call, ben }) => {
  test("are made once by two at once, and not without end", async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => call(ben, "POST /user/signing_keys")))
    expect(answers.map((each) => each.status).sort()).toEqual([201, 409, 409, 409])
    for (let round = 1; round < 20; round++) {
      await call(ben, "DELETE /user/signing_keys")
      expect((await call(ben, "POST /user/signing_keys")).status).toBe(201)
    }
    await call(ben, "DELETE /user/signing_keys")
    expect((await call(ben, "POST /user/signing_keys")).status).toBe(409)
    expect((await call(undefined, "POST /user/signing_keys")).status).toBe(401)
  })
})

withHearth(
  "when the site signs",
  {
    people: ["ann"],
    config: { signing: { key: "ssh", initial: "never", contents: "keyholders", wiki: "never", merges: "parents", keepUserKeys: false } },
  },
  ({ test, forge, call, ann }) => {
    test("is what the settings say", async () => {
      const at = "/repos/ann/when"
      expect((await call(ann, "POST /user/signing_keys")).status).toBe(403)
      expect((await call(ann, "POST /user/repos", { name: "when", auto_init: true })).status).toBe(201)
      const signedTip = async (branch: string) =>
        (await call(ann, `GET ${at}/branches/${branch}`)).body.commit.verification.signature !== ""
      expect(await signedTip("main")).toBe(false)
      const write = async (file: string, more: object = {}) =>
        (await call(ann, `POST ${at}/contents/${file}`, { content: encode(file), ...more })).body.verification.signature !== ""
      expect(await write("a")).toBe(false)
      const merge = async (head: string, more: object = {}) => {
        const { number } = (await call(ann, `POST ${at}/pulls`, { head, base: "main", title: head, ...more })).body
        expect((await call(ann, `POST ${at}/pulls/${number}/merge`, { do: "merge" })).status).toBe(200)
        return signedTip("main")
      }
      await write("b", { new_branch: "b" })
      expect(await merge("b")).toBe(false)
      const key = `ssh-ed25519 ${Buffer.concat([Buffer.from("\0\0\0\x0bssh-ed25519\0\0\0 "), Buffer.alloc(32, 9)]).toString("base64")}`
      expect((await call(ann, "POST /user/keys", { title: "mine", key })).status).toBe(201)
      expect(await write("c")).toBe(true)
      await write("d", { new_branch: "d" })
      expect(await merge("d")).toBe(true)
    })

    test("lets a rule refuse in clear words what it doesn't sign", async () => {
      const at = "/repos/ann/clear"
      await call(ann, "POST /user/repos", { name: "clear", auto_init: true })
      await call(ann, `POST ${at}/contents/a`, { content: "", new_branch: "a" })
      await call(ann, `POST ${at}/branch_protections`, { rule_name: "main", enable_push: true, require_signed_commits: true })
      const { number } = (await call(ann, `POST ${at}/pulls`, { head: "a", base: "main", title: "a" })).body
      const refused = await call(ann, `POST ${at}/pulls/${number}/merge`, { do: "merge" })
      expect([refused.status, refused.body.message]).toEqual([
        405,
        expect.stringContaining("this server doesn't sign those that merge makes for you"),
      ])
    })

    test("is never where its key can't be read, and a start says so", async () => {
      const { services } = forge.hearth
      await services.database.write((tx) => tx.updateTable("signing_keys").set({ sealed_key: "v1.AAAA" }).execute())
      const { status, body } = await call(ann, "POST /repos/ann/when/contents/z", { content: "" })
      expect([status, body.verification.signature]).toEqual([201, ""])
      await expect(ensureSiteKey(services)).rejects.toThrow(/can't be read.*secret\.key.*hearth signing-key renew/)
    })
  },
)
