import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { reformatKey } from "openpgp"
import { afterAll, expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { type Commit, formatCommit, type NewCommit, type Person, type Repository } from "../../../git/index.ts"
import { type KeyFile, type KeyFolder, openKeyFolder } from "../../people/keys/ssh/testing.ts"
import { type GpgTestKey, makeGpgKey } from "../../people/keys/testing.ts"
import { verifications } from "./verification.ts"

withHearth("signatures", { people: ["ann"] }, ({ test, forge, ann }) => {
  let keys: KeyFolder
  let repository: Repository
  let gpg: GpgTestKey
  let ssh: KeyFile
  test.beforeAll(async () => {
    keys = await openKeyFolder()
    await forge.person("ben")
    repository = await forge.hearth.services.git.repositories.create("signed", { format: "sha1", branch: "main" })
    gpg = await makeGpgKey({ emails: ["ann@example.com"], madeAt: new Date(Date.now() - 3_600_000) })
    ssh = await keys.make("ed25519")
    expect((await forge.call(ann, "POST /user/gpg_keys", { armored_public_key: gpg.armored })).status).toBe(201)
    expect((await forge.call(ann, "POST /user/keys", { title: "signs", key: ssh.line })).status).toBe(201)
  })
  afterAll(() => keys.close())

  const person = (email: string): Person => ({ name: "Somebody", email, when: 1_700_000_000, offset: 60 })
  type Sign = (payload: Buffer) => Promise<string> | string

  const bySsh =
    (key: KeyFile, namespace = "git"): Sign =>
    async (payload) => {
      const path = join(keys.folder, "payload")
      await rm(`${path}.sig`, { force: true })
      await writeFile(path, payload)
      await keys.keygen("-Y", "sign", "-q", "-f", key.file, "-n", namespace, path)
      return readFile(`${path}.sig`, "utf8")
    }
  const byGpg =
    (key: GpgTestKey): Sign =>
    (payload) =>
      key.sign(payload)

  let count = 0
  async function commit(sign?: Sign, email = "ann@example.com"): Promise<Commit> {
    const { git } = forge.hearth.services
    const tree = await git.objects.writeTree(repository, [])
    const plain: NewCommit = { tree, parents: [], author: person("else@example.com"), committer: person(email), message: `${++count}\n` }
    const signature = await sign?.(formatCommit(plain))
    const id = await git.objects.writeCommit(repository, signature === undefined ? plain : { ...plain, signature })
    return git.objects.readCommit(repository, id)
  }
  async function verify(object: Parameters<typeof verifications>[2][number]) {
    const { services } = forge.hearth
    const found = (await verifications(services.database.read, services, [object])).get(object.id)
    if (!found) throw new Error("what is asked for is answered")
    return found
  }

  test("by the committer's own keys are verified, and tell whose they are", async () => {
    const signer = { name: "ann", email: "ann@example.com", username: "ann" }
    const [one, two] = [await commit(byGpg(gpg)), await commit(bySsh(ssh))]
    const byKey = await verify(one)
    expect(byKey).toMatchObject({ verified: true, reason: `ann / ${gpg.subkeyIds[0]}`, signer })
    expect(byKey.signature).toContain("BEGIN PGP SIGNATURE")
    expect(byKey.payload).toMatch(/^tree [0-9a-f]{40}\nauthor /)
    expect(byKey.payload).not.toContain("gpgsig")
    expect(await verify(two)).toMatchObject({ verified: true, reason: `ann / ${ssh.fingerprint}`, signer })
  })

  test("count for addresses in any case, and for the address that stands in for a hidden one", async () => {
    expect((await verify(await commit(bySsh(ssh), "Ann@Example.COM"))).verified).toBe(true)
    const { id } = (await forge.call(ann, "GET /user")).body
    const { noReplyDomain } = forge.hearth.services.site
    expect((await verify(await commit(byGpg(gpg), `${id}+ann@${noReplyDomain}`))).verified).toBe(true)
    expect((await verify(await commit(byGpg(gpg), `${id + 1}+ben@${noReplyDomain}`))).verified).toBe(false)
  })

  test("are missing", async () => {
    expect(await verify(await commit())).toEqual({
      verified: false,
      reason: "gpg.error.not_signed_commit",
      signature: "",
      signer: null,
      payload: "",
    })
  })

  test.each([
    ["someone else's address (OpenPGP)", () => commit(byGpg(gpg), "ben@example.com"), "no_committer_account"],
    ["someone else's address (SSH)", () => commit(bySsh(ssh), "ben@example.com"), "no_committer_account"],
    ["nobody's address", () => commit(bySsh(ssh), "nobody@example.com"), "no_committer_account"],
    ["no address", () => commit(bySsh(ssh), ""), "no_committer_account"],
    ["an unknown OpenPGP key", async () => commit(byGpg(await makeGpgKey({ emails: ["ann@example.com"] }))), "no_gpg_keys_found"],
    ["an unknown SSH key", async () => commit(bySsh(await keys.make("ed25519"))), "no_gpg_keys_found"],
    ["an OpenPGP signature over something else", () => commit(() => gpg.sign("else")), "probable_bad_signature"],
    ["an SSH signature over something else", () => commit(() => bySsh(ssh)(Buffer.from("else"))), "probable_bad_signature"],
    ["an SSH signature for something other than git", () => commit(bySsh(ssh, "file")), "probable_bad_signature"],
    ["a text", () => commit(() => "trust me"), "extract_sign"],
    [
      "an empty OpenPGP signature",
      () => commit(() => "-----BEGIN PGP SIGNATURE-----\n\n=AAAA\n-----END PGP SIGNATURE-----"),
      "extract_sign",
    ],
    [
      "an SSH signature cut off",
      () => commit(() => "-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAA\n-----END SSH SIGNATURE-----"),
      "extract_sign",
    ],
    [
      "a very long one",
      () => commit(() => `-----BEGIN PGP SIGNATURE-----\n\n${"A".repeat(200_000)}\n-----END PGP SIGNATURE-----`),
      "extract_sign",
    ],
  ])("with %s are not believed", async (_name, make, reason) => {
    const verification = await verify(await make())
    expect(verification).toMatchObject({ verified: false, reason: `gpg.error.${reason}`, signer: null })
    expect(verification.signature).not.toBe("")
  })

  test("made after the key had expired are not believed; those made before are for ever", async () => {
    const madeAt = new Date("2024-01-01T00:00:00Z")
    const key = await makeGpgKey({ emails: ["ann@example.com"], madeAt })
    const expiring = { privateKey: key.privateKey, userIDs: { email: "ann@example.com" }, keyExpirationTime: 86_400, date: madeAt }
    const { publicKey } = await reformatKey({ ...expiring, format: "armored" })
    expect((await forge.call(ann, "POST /user/gpg_keys", { armored_public_key: publicKey })).body.expires_at).toBe("2024-01-02T00:00:00Z")
    const at = (moment: string) => commit((payload) => key.sign(payload, { at: new Date(moment) }))
    expect((await verify(await at("2024-01-01T12:00:00Z"))).verified).toBe(true)
    expect(await verify(await at("2024-01-05T00:00:00Z"))).toMatchObject({ verified: false, reason: "gpg.error.probable_bad_signature" })
  })

  test("over tags go by the tagger", async () => {
    const { git } = forge.hearth.services
    const target = await commit()
    const tag = async (email: string, sign: Sign) => {
      const plain = { object: target.id, type: "commit", name: `v${++count}`, tagger: person(email), message: "out\n" } as const
      const unsigned = `object ${target.id}\ntype commit\ntag ${plain.name}\ntagger Somebody <${email}> 1700000000 +0100\n\nout\n`
      const id = await git.objects.writeTag(repository, { ...plain, message: `out\n${await sign(Buffer.from(unsigned))}` })
      return git.objects.readTag(repository, id)
    }
    for (const sign of [bySsh(ssh), byGpg(gpg)]) {
      expect(await verify(await tag("ann@example.com", sign))).toMatchObject({ verified: true, signer: { username: "ann" } })
      expect((await verify(await tag("ben@example.com", sign))).verified).toBe(false)
    }
    expect((await verify(await tag("ann@example.com", () => bySsh(ssh)(Buffer.from("x"))))).reason).toBe("gpg.error.probable_bad_signature")
  })

  test("are believed as long as key and address are the account's", async () => {
    const key = await keys.make("ecdsa", "-b", "521")
    const { id } = (await forge.call(ann, "POST /user/keys", { title: "for a while", key: key.line })).body
    await forge.call(ann, "POST /user/emails", { emails: ["ann@work.example"] })
    const signed = await commit(bySsh(key), "ann@work.example")
    expect((await verify(signed)).verified).toBe(true)
    await forge.call(ann, "DELETE /user/emails", { emails: ["ann@work.example"] })
    expect((await verify(signed)).reason).toBe("gpg.error.no_committer_account")
    await forge.call(ann, `DELETE /user/keys/${id}`)
    expect((await verify(signed)).reason).toBe("gpg.error.no_gpg_keys_found")
  })

  test("are looked at in as many queries for fifty as for two, and in none where there are none", async () => {
    const { services } = forge.hearth
    const counted = async (commits: readonly Commit[]): Promise<number> => {
      let queries = 0
      const stop = services.database.observe(() => {
        queries += 1
      })
      const found = await verifications(services.database.read, services, commits)
      stop()
      expect(found.size).toBe(commits.length)
      return queries
    }
    const [one, two] = [await commit(byGpg(gpg)), await commit(bySsh(ssh))]
    const many = [one, two, ...(await Promise.all(Array.from({ length: 48 }, (_, index) => commit(byGpg(gpg), `a${index}@example.com`))))]
    expect(await counted([one, two])).toBe(5)
    expect(await counted(many)).toBe(5)
    expect(await counted([await commit(), await commit()])).toBe(0)
  })
})
