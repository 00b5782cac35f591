import { timingSafeEqual } from "node:crypto"
import { Refusal } from "../../../core/errors.ts"
import { networkOf } from "../../../core/networks.ts"
import type { Services } from "../../../core/services.ts"
import { isFormer, verifyFormer } from "../sign-in/credentials/former-hashes.ts"
import { requireNoWait, requireTry } from "../sign-in/guesses/guesses.ts"
import type { Guessed } from "../sign-in/guesses/guesses-store.ts"
import type { Application } from "./applications.ts"
import { OAuth2Error } from "./errors.ts"
import { findApplicationByClient, renewSecretDigest } from "./store.ts"
import { digestOf } from "./texts.ts"

/** Applications prove who they are with their secret, or, where they can't keep one, say it. */
export interface PresentedClient {
  readonly id: string
  readonly secret: string | undefined
  /** Whether it came in the Authorization header, and a refusal has to say what that may hold. */
  readonly isBasic: boolean
}

/**
 * Reads who the client says it is (RFC 6749, 2.3.1). Refuses `invalid_request` for a header that can't be read or that the fields contradict,
 * `invalid_client` where there is nothing.
 */
export function readClient(header: string | undefined, field: (name: string) => string | undefined): PresentedClient {
  const [id, secret] = [field("client_id"), field("client_secret")]
  const [scheme, value = ""] = (header ?? "").trim().split(/ +/)
  if (scheme?.toLowerCase() !== "basic") {
    if (id === undefined) throw new OAuth2Error("invalid_client", "the client has to say which one it is (client_id)")
    return { id, secret, isBasic: false }
  }
  const [basicId, basicSecret] = readPair(value)
  if ((id !== undefined && id !== basicId) || (secret !== undefined && secret !== basicSecret))
    throw new OAuth2Error("invalid_request", "the Authorization header and the fields name different clients or secrets")
  return { id: basicId, secret: basicSecret === "" ? undefined : basicSecret, isBasic: true }
}

function readPair(value: string): readonly [id: string, secret: string] {
  const pair = Buffer.from(value, "base64").toString("utf8")
  const colon = pair.indexOf(":")
  const plain = (text: string) => decodeURIComponent(text.replaceAll("+", " "))
  try {
    if (colon >= 0 && !/\0|%00/.test(pair)) return [plain(pair.slice(0, colon)), plain(pair.slice(colon + 1))]
  } catch {
    // A broken percent escape; refused as any other text that is no pair.
  }
  throw new OAuth2Error("invalid_request", "the Authorization header can't be read: it must be Basic with id and secret")
}

/** Tries are counted for a client and a network: no one else can keep an application out by guessing. */
function guessedOf({ secrets }: Services, clientId: string, address: string): Guessed {
  const digest = Buffer.from(secrets.mac("client secret tries", `${networkOf(address)} ${clientId}`), "base64url")
  return { kind: "clientSecret", subject: digest.readUIntBE(0, 6) }
}

/**
 * The application that the client is. A public one needs no secret, unless `mustBeConfidential`.
 * Refuses `invalid_client` for an unknown client and a wrong secret, with 429 after too many wrong ones from the same network.
 */
export async function authenticateClient(
  services: Services,
  client: PresentedClient,
  { address, mustBeConfidential = false }: { readonly address: string; readonly mustBeConfidential?: boolean },
): Promise<Application> {
  const { database, signIns } = services
  const refused = new OAuth2Error("invalid_client", "the client is unknown, or its secret is wrong", client.isBasic ? 401 : 400)
  const application = await findApplicationByClient.first(database.read, { clientId: client.id })
  if (application?.is_confidential === 0 && !mustBeConfidential) return application
  const guessed = guessedOf(services, client.id, address)
  await waiting(() => requireNoWait(services, guessed))
  const given = Buffer.from(digestOf(client.secret ?? ""))
  const right = Buffer.from(application?.secret_digest || digestOf(""))
  const isFormerRight =
    application !== undefined && client.secret !== undefined && (await isFormerSecretOf(services, application, client.secret))
  const isRight = isFormerRight || (client.secret !== undefined && given.length === right.length && timingSafeEqual(given, right))
  if (!application || application.is_confidential === 0 || !isRight) {
    signIns.count("clientSecret", "wrong")
    await waiting(() => requireTry(services, guessed))
    throw refused
  }
  signIns.count("clientSecret", "right")
  return application
}

/** Whether this is the secret of an application of a server that was taken over: bcrypt's hash of it, which is replaced by the digest then. */
async function isFormerSecretOf({ database }: Services, { id, secret_digest: hash }: Application, secret: string): Promise<boolean> {
  if (!isFormer(hash) || !(await verifyFormer(secret, hash))) return false
  await database.write((tx) => renewSecretDigest.changes(tx, { id, before: hash, digest: digestOf(secret) }))
  return true
}

async function waiting(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof Refusal && error.kind === "tooMany") throw new OAuth2Error("invalid_client", error.message, 429, error.retryAfter)
    throw error
  }
}
