/** An authenticator in software, for tests: keys of its own, attestation "none", and assertions signed with ES256. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"

type Cbor = number | string | Buffer | ReadonlyMap<number | string, Cbor>

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255])
}

function cbor(value: Cbor): Buffer {
  if (typeof value === "number") return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const members = [...value].flatMap(([key, member]) => [cbor(key), cbor(member)])
  return Buffer.concat([head(5, value.size), ...members])
}

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest()
const text = (data: Buffer): string => data.toString("base64url")

interface Key {
  readonly id: string
  readonly privateKey: KeyObject
  readonly userHandle: string
  counter: number
}

export interface AuthenticatorOptions {
  readonly origin: string
  readonly rpId: string
  /** Whether it counts its signatures; keys that are synchronised don't. */
  readonly counts?: boolean
}

export interface Asserting {
  /** Whether it has verified the person, by a fingerprint or the like. */
  readonly verifies?: boolean
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
}

export function openAuthenticator({ origin, rpId, counts = false }: AuthenticatorOptions) {
  const keys: Key[] = []
  const clientData = (type: string, challenge: string, from: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }))
  const authenticatorData = (id: string, flags: number, counter: number, more: Buffer = Buffer.alloc(0)): Buffer => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(id), Buffer.from([flags]), count, more])
  }
  const PRESENT = 0x01
  const VERIFIED = 0x04
  const ATTESTED = 0x40

  /** The answer to `navigator.credentials.create`, as JSON. `options` is what the page says. */
  // biome-ignore lint/suspicious/noExplicitAny: the options are what the tests are about
  function create(options: any): string {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    const { x = "", y = "" } = publicKey.export({ format: "jwk" })
    const id = randomBytes(32)
    const cose = cbor(
      new Map<number, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, "base64url")],
        [-3, Buffer.from(y, "base64url")],
      ]),
    )
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cose])
    const data = authenticatorData(rpId, PRESENT | VERIFIED | ATTESTED, 0, attested)
    const object = cbor(
      new Map<string, Cbor>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", data],
      ]),
    )
    keys.push({ id: text(id), privateKey, userHandle: options.user.id, counter: 0 })
    return JSON.stringify({
      id: text(id),
      rawId: text(id),
      type: "public-key",
      clientExtensionResults: {},
      response: {
        clientDataJSON: text(clientData("webauthn.create", options.challenge, origin)),
        attestationObject: text(object),
        transports: ["internal"],
      },
    })
  }

  /** The answer to `navigator.credentials.get`, as JSON, with the key that was made last. */
  // biome-ignore lint/suspicious/noExplicitAny: the options are what the tests are about
  function get(options: any, asserting: Asserting = {}): string {
    const key = keys.at(-1)
    if (!key) throw new Error("the authenticator has no key")
    if (counts) key.counter++
    const data = authenticatorData(asserting.rpId ?? rpId, PRESENT | (asserting.verifies === false ? 0 : VERIFIED), key.counter)
    const client = clientData("webauthn.get", asserting.challenge ?? options.challenge, asserting.origin ?? origin)
    const signature = sign("sha256", Buffer.concat([data, sha256(client)]), key.privateKey)
    return JSON.stringify({
      id: key.id,
      rawId: key.id,
      type: "public-key",
      clientExtensionResults: {},
      response: {
        clientDataJSON: text(client),
        authenticatorData: text(data),
        signature: text(signature),
        userHandle: key.userHandle,
      },
    })
  }

  /** As a copy of the device would have it: the counter as it was. */
  const rewind = (): void => {
    for (const key of keys) key.counter = 0
  }
  return { create, get, rewind }
}
