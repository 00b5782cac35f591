import { generateKeyPairSync } from "node:crypto"
import { keyLine, parseKeyText } from "../../src/features/people/keys/ssh/key-text.ts"
import { makeGpgKey } from "../../src/features/people/keys/testing.ts"
import { type Person, times, type World } from "../support/world.ts"
import type { Example, Examples } from "./example.ts"

const as = ({ authorization }: Person) => ({ authorization })

/** A new key, as a line of OpenSSH. */
export const freshKey = (): string =>
  keyLine(parseKeyText(generateKeyPairSync("ed25519").publicKey.export({ format: "pem", type: "spki" }).toString()))

const keyOption = (world: World) => ({ title: world.unique("key"), key: freshKey(), read_only: true })

/** A user with keys. */
async function keyed(world: World, size: number) {
  const person = await world.person()
  const made = await times(size, () => world.must<{ id: number }>(person, "POST /user/keys", keyOption(world)))
  return { person, id: made[0]?.id ?? 0 }
}

/** A repository with keys, and its owner. */
async function deployed(world: World, size: number) {
  const owner = await world.person()
  const { owner: name, repo } = await world.repository(owner)
  const made = await times(size, () => world.must<{ id: number }>(owner, `POST /repos/${name}/${repo}/keys`, keyOption(world)))
  return { owner, path: { owner: name, repo, id: made[0]?.id ?? 0 } }
}

/** A user with OpenPGP keys, and what one of them signs. */
async function gpgKeyed(world: World, size: number) {
  const person = await world.person()
  const keys = await times(size, () => makeGpgKey({ emails: [`${person.name}@example.com`] }))
  const made = await times(size, (index) =>
    world.must<{ id: number }>(person, "POST /user/gpg_keys", { armored_public_key: keys[index]?.armored }),
  )
  return { person, key: keys[0], id: made[0]?.id ?? 0 }
}

/** A text, which is not JSON. */
async function tokenOf({ hearth }: World, { authorization }: Person): Promise<string> {
  return (await fetch(`${hearth.url}/api/v1/user/gpg_key_token`, { headers: { authorization } })).text()
}

const mine = async (world: World, size: number): Promise<Example> => as((await keyed(world, size)).person)
const one = async (world: World): Promise<Example> => {
  const { person, id } = await keyed(world, 1)
  return { ...as(person), path: { id } }
}
const oneGpg = async (world: World): Promise<Example> => {
  const { person, id } = await gpgKeyed(world, 1)
  return { ...as(person), path: { id } }
}
const oneDeployed = async (world: World): Promise<Example> => {
  const { owner, path } = await deployed(world, 1)
  return { ...as(owner), path }
}

export const keyExamples: Examples = {
  userCurrentListKeys: mine,
  userCurrentPostKey: async (world) => ({ ...as(await world.person()), body: keyOption(world) }),
  userCurrentGetKey: one,
  userCurrentDeleteKey: one,
  userListKeys: async (world, size) => ({ path: { username: (await keyed(world, size)).person.name } }),
  adminCreatePublicKey: async (world) => ({ path: { username: (await world.person()).name }, body: keyOption(world) }),
  adminDeleteUserPublicKey: async (world) => {
    const { person, id } = await keyed(world, 1)
    return { path: { username: person.name, id } }
  },

  repoListKeys: async (world, size) => {
    const { owner, path } = await deployed(world, size)
    return { ...as(owner), path }
  },
  repoCreateKey: async (world) => {
    const { owner, path } = await deployed(world, 0)
    return { ...as(owner), path, body: keyOption(world) }
  },
  repoGetKey: oneDeployed,
  repoDeleteKey: oneDeployed,

  userCurrentListGPGKeys: async (world, size) => as((await gpgKeyed(world, size)).person),
  userCurrentPostGPGKey: async (world) => {
    const person = await world.person()
    const { armored } = await makeGpgKey({ emails: [`${person.name}@example.com`] })
    return { ...as(person), body: { armored_public_key: armored } }
  },
  userCurrentGetGPGKey: oneGpg,
  userCurrentDeleteGPGKey: oneGpg,
  getVerificationToken: async (world) => as(await world.person()),
  userVerifyGPGKey: async (world) => {
    const { person, key } = await gpgKeyed(world, 1)
    return { ...as(person), body: { key_id: key?.keyId, armored_signature: await key?.sign(await tokenOf(world, person)) } }
  },
  userListGPGKeys: async (world, size) => ({ path: { username: (await gpgKeyed(world, size)).person.name } }),
  userListSigningKeys: async (world, size) => {
    const person = await world.person()
    // More are not kept for one.
    for (let count = 0; count < Math.min(size, 20); count++) {
      if (count > 0) await world.must(person, "DELETE /user/signing_keys")
      await world.must(person, "POST /user/signing_keys")
    }
    return { path: { username: person.name } }
  },
  userKeepSigningKey: async (world) => as(await world.person()),
  userDropSigningKey: async (world) => {
    const person = await world.person()
    await world.must(person, "POST /user/signing_keys")
    return as(person)
  },
}
