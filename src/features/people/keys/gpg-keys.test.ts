import { readKey, revokeKey } from "openpgp"
import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { makeGpgKey } from "./testing.ts"

withHearth("OpenPGP keys", { people: ["ann", "ben"] }, ({ test, forge, ann, ben }) => {
  const add = (caller: string, armored_public_key: string, armored_signature?: string) =>
    forge.call(caller, "POST /user/gpg_keys", { armored_public_key, armored_signature })
  const token = async (caller: string): Promise<string> => {
    const { body, headers } = await forge.call(caller, "GET /user/gpg_key_token")
    expect(headers.get("content-type")).toBe("text/plain;charset=utf-8")
    expect(body).toMatch(/^[0-9a-f]{64}$/)
    return body
  }
  const later = async (seconds: number, work: () => Promise<void>): Promise<void> => {
    const { services } = forge.hearth
    const { now } = services
    Object.assign(services, { now: () => now() + seconds })
    try {
      await work()
    } finally {
      Object.assign(services, { now })
    }
  }

  test("with an address of the account are added, with their subkeys, read, listed and removed", async () => {
    const key = await makeGpgKey({ emails: ["ANN@example.com", "ann@elsewhere.example"] })
    const { status, body } = await add(ann, key.armored)
    expect(status).toBe(201)
    expect(body).toMatchObject({ key_id: key.keyId, primary_key_id: "", verified: false, expires_at: "0001-01-01T00:00:00Z" })
    expect(body.emails).toEqual([{ email: "ann@example.com", verified: true }])
    expect(body).toMatchObject({ can_sign: true, can_certify: true, can_encrypt_comms: false, can_encrypt_storage: false })
    const [signing, encrypting] = body.subkeys
    expect(signing).toMatchObject({ key_id: key.subkeyIds[0], primary_key_id: key.keyId, emails: [], subkeys: [], can_sign: true })
    expect(encrypting).toMatchObject({ key_id: key.subkeyIds[1], can_sign: false, can_encrypt_comms: true })
    // What was sent, and of subkeys what is needed to import each of them alone.
    expect((await readKey({ armoredKey: body.public_key })).write()).toEqual((await readKey({ armoredKey: key.armored })).write())
    for (const subkey of [signing, encrypting]) {
      const alone = await readKey({ armoredKey: subkey.public_key })
      expect([alone.getKeyID(), ...alone.subkeys.map((part) => part.getKeyID())].map((id) => id.toHex().toUpperCase())).toEqual([
        key.keyId,
        subkey.key_id,
      ])
      expect(alone.users).toHaveLength(1)
      expect(await alone.verifyAllUsers()).toMatchObject([{ valid: true }])
      await alone.subkeys[0]?.verify()
    }

    expect((await forge.call(ann, `GET /user/gpg_keys/${body.id}`)).body).toEqual(body)
    expect((await forge.call(ann, `GET /user/gpg_keys/${signing.id}`)).body).toEqual(signing)
    expect((await forge.call(ben, `GET /user/gpg_keys/${body.id}`)).status).toBe(404)
    for (const [caller, path] of [
      [ann, "/user/gpg_keys"],
      [ben, "/users/ann/gpg_keys"],
    ] as const) {
      const list = await forge.call(caller, `GET ${path}`)
      expect(list.body).toEqual([body])
      expect(list.headers.get("x-total-count")).toBe("1")
    }

    expect((await forge.call(ben, `DELETE /user/gpg_keys/${body.id}`)).status).toBe(204)
    expect((await forge.call(ann, `GET /user/gpg_keys/${body.id}`)).status).toBe(200)
    expect((await forge.call(ann, `DELETE /user/gpg_keys/${signing.id}`)).status).toBe(204)
    expect((await forge.call(ann, "GET /user/gpg_keys")).body).toEqual([])
    expect((await forge.call(ann, `GET /user/gpg_keys/${encrypting.id}`)).status).toBe(404)
  })

  test("without one need a signature over the token, with or without an end of the line", async () => {
    const key = await makeGpgKey({ emails: ["somebody@elsewhere.example"] })
    expect((await add(ann, key.armored)).status).toBe(404)
    expect((await add(ann, key.armored, await key.sign("something else"))).body.message).toMatch(/^\[armored_signature\]: /)
    expect((await add(ann, key.armored, "-----BEGIN PGP SIGNATURE-----\n\nAAAA\n-----END PGP SIGNATURE-----")).status).toBe(422)
    // A signature over Ben's token proves nothing about Ann.
    expect((await add(ann, key.armored, await key.sign(await token(ben)))).status).toBe(422)
    const other = await makeGpgKey({ emails: ["somebody@elsewhere.example"] })
    expect((await add(ann, key.armored, await other.sign(await token(ann)))).status).toBe(422)
    const { status, body } = await add(ann, key.armored, await key.sign(`${await token(ann)}\n`))
    expect(status).toBe(201)
    expect([body.verified, body.subkeys[0].verified, body.emails]).toEqual([true, true, []])
    await forge.call(ann, `DELETE /user/gpg_keys/${body.id}`)
  })

  test("are verified afterwards, while the token is valid", async () => {
    const key = await makeGpgKey({ emails: ["ann@example.com"] })
    const { body } = await add(ann, key.armored)
    const verify = async (signature: string, key_id = key.keyId, caller = ann) =>
      forge.call(caller, "POST /user/gpg_key_verify", { key_id, armored_signature: signature })
    const text = await token(ann)
    const signature = await key.sign(text)
    expect((await verify(await key.sign("not the token"))).body.message).toMatch(/^\[armored_signature\]: /)
    expect((await verify(signature, key.keyId, ben)).status).toBe(404)
    expect((await verify(signature, "0000")).status).toBe(404)
    expect((await verify("", key.keyId)).status).toBe(422)
    await later(600, async () => {
      expect((await verify(signature)).status).toBe(422)
      expect(await token(ann)).not.toBe(text)
    })
    const verified = await verify(signature, `0x${key.subkeyIds[0]?.toLowerCase()}`)
    expect(verified.status).toBe(201)
    expect(verified.body).toMatchObject({ id: body.id, verified: true })
    expect(verified.body.subkeys[1].verified).toBe(true)
    await forge.call(ann, `DELETE /user/gpg_keys/${body.id}`)
  })

  test("mark an address that was removed since as no longer the account's", async () => {
    await forge.call(ann, "POST /user/emails", { emails: ["ann@work.example"] })
    const key = await makeGpgKey({ emails: ["ann@work.example"] })
    const { body } = await add(ann, key.armored)
    await forge.call(ann, "DELETE /user/emails", { emails: ["ann@work.example"] })
    expect((await forge.call(ann, `GET /user/gpg_keys/${body.id}`)).body.emails).toEqual([{ email: "ann@work.example", verified: false }])
    await forge.call(ann, `DELETE /user/gpg_keys/${body.id}`)
  })

  test("belong to one user", async () => {
    const key = await makeGpgKey({ emails: ["ann@example.com", "ben@example.com"] })
    const answers = await Promise.all([add(ann, key.armored), add(ben, key.armored)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422])
    expect((await add(ann, key.armored)).body.message).toMatch(/^\[armored_public_key\]: a key with the same id/)
  })

  test("with another user's encryption subkey don't prevent that user from adding their own key", async () => {
    const [theirs, mine] = [await makeGpgKey({ emails: ["ben@example.com"] }), await makeGpgKey({ emails: ["ann@example.com"] })]
    const [own, other] = [await readKey({ armoredKey: mine.armored }), await readKey({ armoredKey: theirs.armored })]
    // The subkey isn't bound to the primary key by a signature.
    own.subkeys.push(...other.subkeys)
    const { status, body } = await add(ann, own.armor())
    expect(status).toBe(201)
    expect(body.subkeys.map(({ key_id }: { key_id: string }) => key_id)).toEqual(mine.subkeyIds)
    expect((await add(ben, theirs.armored)).status).toBe(201)
  })

  test("that expire say when", async () => {
    const madeAt = new Date("2024-01-01T00:00:00Z")
    const key = await makeGpgKey({ emails: ["ann@example.com"], madeAt, lasts: 86_400 })
    expect((await add(ann, key.armored)).body.expires_at).toBe("2024-01-02T00:00:00Z")
  })

  test.each([
    ["nothing", async () => ""],
    ["no key", async () => "not a key"],
    ["a private key", async () => (await makeGpgKey({ emails: ["ann@example.com"] })).privateKey.armor()],
    ["a text far too long", async () => "x".repeat(300_000)],
    [
      "a revoked key",
      async () => {
        const { privateKey } = await makeGpgKey({ emails: ["ann@example.com"] })
        const { publicKey } = await revokeKey({ key: privateKey, format: "armored" })
        expect(await (await readKey({ armoredKey: publicKey })).isRevoked()).toBe(true)
        return publicKey
      },
    ],
  ])("are refused with %s", async (_name, make) => {
    const { status, body } = await add(ann, await make())
    expect(status).toBe(422)
    expect(body.message).toMatch(/^\[armored_public_key\]: /)
  })
})
