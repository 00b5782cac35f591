import { randomBytes } from "node:crypto"
import type { User } from "../../../../core/actor.ts"
import { isUniqueViolation } from "../../../../core/database/failures.ts"
import { refuse } from "../../../../core/errors.ts"
import { publish } from "../../../../core/events/publish.ts"
import { t } from "../../../../core/language/message.ts"
import Type, { Check, type Static } from "../../../../core/schema.ts"
import type { Services } from "../../../../core/services.ts"
import { noteFactors } from "../../users/factors-store.ts"
import { lockUser } from "../../users/store.ts"
import { openTicket, sealTicket, type Ticket, useTicket } from "../credentials/tickets.ts"
import { deletePasskey, findPasskey, findPasskeysOf, insertPasskey, notePasskeyUse } from "./store.ts"

/**
 * Passkeys and security keys (WebAuthn). A passkey that knows its person (by fingerprint, PIN or the like) stands for password and second factor
 * together; after a password any key of the account stands for the code. What a key has to sign is in a sealed ticket and good once.
 */

/** Who this site is for authenticators; undefined where browsers offer none: without TLS, unless on the same machine, and below a bare IP address. */
function relyingParty({ site }: Pick<Services, "site">): { readonly id: string; readonly origin: string } | undefined {
  const { protocol, hostname, origin } = new URL(site.rootUrl)
  const isAddress = hostname.startsWith("[") || /^[\d.]+$/.test(hostname)
  const isSecure = protocol === "https:" || hostname === "localhost" || hostname.endsWith(".localhost")
  return isSecure && !isAddress ? { id: hostname, origin } : undefined
}

/** Whether browsers can use passkeys here. */
export const hasPasskeys = (services: Pick<Services, "site">): boolean => relyingParty(services) !== undefined

const SECONDS = 600
/** ECDSA with P-256, EdDSA, RSA. */
const ALGORITHMS = [-7, -8, -257]
const MOST = 25
const LONGEST_NAME = 50
const TRANSPORTS = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"]

const newPasskey = {
  purpose: "new passkey",
  content: Type.Object({ userId: Type.Integer(), challenge: Type.String() }),
  seconds: SECONDS,
}
/** `userId`: whose keys are asked for; 0 for anyone's. */
const assertion = {
  purpose: "passkey",
  content: Type.Object({ userId: Type.Integer(), challenge: Type.String() }),
  seconds: SECONDS,
}

/** What a page gives to the browser, and what its form carries back beside the browser's answer. */
export interface Ceremony {
  /** JSON, for `parseCreationOptionsFromJSON` and `parseRequestOptionsFromJSON`. */
  readonly options: Readonly<Record<string, unknown>>
  readonly ticket: string
}

const newChallenge = (): string => randomBytes(32).toString("base64url")

/** An opaque name for the account, which the authenticator keeps. */
const handleOf = ({ secrets }: Pick<Services, "secrets">, userId: number): string => secrets.mac("passkey user", String(userId))

const transportsOf = (row: { readonly transports: string }): readonly string[] => row.transports.split(",").filter((word) => word !== "")

/** Asks the browser for a new passkey. Undefined where browsers offer none. */
export async function beginRegistration(services: Services, user: User): Promise<Ceremony | undefined> {
  const party = relyingParty(services)
  if (!party) return undefined
  const challenge = newChallenge()
  const known = await findPasskeysOf(services.database.read, { userId: user.id })
  return {
    ticket: sealTicket(services, newPasskey, { userId: user.id, challenge }),
    options: {
      rp: { id: party.id, name: `Hearth ${services.site.host}` },
      user: { id: handleOf(services, user.id), name: user.name, displayName: user.full_name || user.name },
      challenge,
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
      timeout: SECONDS * 1000,
      attestation: "none",
      excludeCredentials: known.map((row) => ({ type: "public-key", id: row.credential_id, transports: transportsOf(row) })),
      authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
    },
  }
}

const base64url = () => Type.String({ pattern: "^[\\w-]+$", maxLength: 16_384 })

const Created = Type.Object({
  id: base64url(),
  response: Type.Object({
    clientDataJSON: base64url(),
    attestationObject: base64url(),
    transports: Type.Optional(Type.Array(Type.String())),
  }),
})

const Asserted = Type.Object({
  id: base64url(),
  response: Type.Object({
    clientDataJSON: base64url(),
    authenticatorData: base64url(),
    signature: base64url(),
    userHandle: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
})

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const tooOld = () => refuse.badRequest("That took too long. Please try again")
const notReadable = () => refuse.badRequest("The browser’s answer can’t be read. Please try again")

export interface NewPasskey {
  readonly ticket: string
  /** What the browser made, as JSON. */
  readonly credential: string
  readonly name: string
}

/**
 * Keeps a new passkey. Refuses `invalid` for a bad name, `badRequest` for an answer of the browser that is too old or not right, `conflict` for a key that is known already
 * and where there are 25.
 */
export async function register(services: Services, user: User, { ticket, credential, name }: NewPasskey): Promise<void> {
  const party = relyingParty(services)
  if (!party) throw refuse.notFound()
  const title = name.trim()
  if (title === "") throw refuse.invalid("name", "is required")
  if ([...title].length > LONGEST_NAME) throw refuse.invalid("name", t`must have at most ${LONGEST_NAME} characters`)
  const opened = openTicket(services, newPasskey, ticket)
  if (opened?.content.userId !== user.id) throw tooOld()
  const answer = parsed(credential)
  if (!Check(Created, answer)) throw notReadable()
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server")
  const { clientDataJSON, attestationObject, transports = [] } = answer.response
  const checked = await verifyRegistrationResponse({
    response: {
      id: answer.id,
      rawId: answer.id,
      type: "public-key",
      clientExtensionResults: {},
      response: { clientDataJSON, attestationObject },
    },
    expectedChallenge: opened.content.challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: false,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => undefined)
  if (!checked?.verified) throw refuse.badRequest("This key could not be verified. Please try again")
  const made = checked.registrationInfo.credential
  await services.database.write(async (tx) => {
    if (!(await useTicket(tx, opened))) throw tooOld()
    await lockUser(tx, user.id)
    if ((await findPasskeysOf(tx, { userId: user.id })).length >= MOST)
      throw refuse.conflict(t`There are ${MOST} passkeys already; remove one of them first`)
    try {
      await insertPasskey(tx, {
        user_id: user.id,
        name: title,
        credential_id: made.id,
        public_key: Buffer.from(made.publicKey).toString("base64url"),
        counter: made.counter,
        transports: TRANSPORTS.filter((word) => transports.includes(word)).join(","),
        created_at: services.now(),
        last_used_at: 0,
      })
    } catch (error) {
      if (isUniqueViolation(error, ["passkeys.credential_id"])) throw refuse.conflict("This passkey is known already")
      throw error
    }
    await noteFactors.changes(tx, { userId: user.id })
    publish(tx, { kind: "user.edited", user, actor: user, changed: ["passkeys"], at: services.now() })
  })
}

/**
 * Asks the browser for a passkey: of anyone's, or, after the password, for a key of this account. Undefined where browsers offer none, and where
 * the account has none.
 */
export async function beginAssertion(services: Services, user?: Pick<User, "id">): Promise<Ceremony | undefined> {
  const party = relyingParty(services)
  const keys = party && user ? await findPasskeysOf(services.database.read, { userId: user.id }) : []
  if (!party || (user && keys.length === 0)) return undefined
  const challenge = newChallenge()
  return {
    ticket: sealTicket(services, assertion, { userId: user?.id ?? 0, challenge }),
    options: {
      challenge,
      rpId: party.id,
      timeout: SECONDS * 1000,
      userVerification: user ? "preferred" : "required",
      allowCredentials: keys.map((row) => ({ type: "public-key", id: row.credential_id, transports: transportsOf(row) })),
    },
  }
}

export interface ShownPasskey {
  readonly ticket: string
  /** The browser's answer, as JSON. */
  readonly credential: string
}

/**
 * The person whose passkey signed what it was asked to; the answer is used up. With `user`, only a key of theirs is taken, and it need not have
 * verified the person. Refuses `badRequest` for an answer that is too old, was used, or is not right.
 */
export async function usePasskey(services: Services, shown: ShownPasskey, user?: Pick<User, "id">): Promise<User> {
  const { database, signIns, now } = services
  const party = relyingParty(services)
  if (!party) throw refuse.notFound()
  const opened = openTicket(services, assertion, shown.ticket)
  if (opened?.content.userId !== (user?.id ?? 0)) throw tooOld()
  const answer = parsed(shown.credential)
  if (!Check(Asserted, answer)) throw notReadable()
  const found = await findPasskey.first(database.read, { credentialId: answer.id })
  const owner = found && (await verified(services, party, opened, answer, { ...found, needsPerson: user === undefined }))
  if (!owner || (user && owner.user.id !== user.id)) {
    signIns.count("passkey", "wrong")
    throw refuse.badRequest("This passkey is not known here, or could not be verified")
  }
  await database.write(async (tx) => {
    if (!(await useTicket(tx, opened))) throw tooOld()
    if ((await notePasskeyUse.changes(tx, { id: owner.passkeyId, counter: owner.counter, now: now() })) === 0)
      throw refuse.badRequest("This passkey was used elsewhere in the meantime, or is a copy")
  })
  signIns.count("passkey", "right")
  return owner.user
}

type Found = NonNullable<Awaited<ReturnType<typeof findPasskey.first>>>

async function verified(
  services: Services,
  party: { readonly id: string; readonly origin: string },
  { content }: Ticket<Static<typeof assertion.content>>,
  { id, response }: Static<typeof Asserted>,
  found: Found & { readonly needsPerson: boolean },
): Promise<{ readonly user: User; readonly passkeyId: number; readonly counter: number } | undefined> {
  const { passkey_id: passkeyId, passkey_public_key: key, passkey_counter: counter, needsPerson, ...user } = found
  // The authenticator says whose key it is: it must be the one that we gave it for this account.
  if (response.userHandle && response.userHandle !== handleOf(services, user.id)) return undefined
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server")
  const { clientDataJSON, authenticatorData, signature } = response
  const checked = await verifyAuthenticationResponse({
    response: {
      id,
      rawId: id,
      type: "public-key",
      clientExtensionResults: {},
      response: { clientDataJSON, authenticatorData, signature },
    },
    expectedChallenge: content.challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: needsPerson,
    credential: { id, publicKey: new Uint8Array(Buffer.from(key, "base64url")), counter },
    // What can't be read, is signed by another key, or counts backwards.
  }).catch(() => undefined)
  return checked?.verified ? { user, passkeyId, counter: checked.authenticationInfo.newCounter } : undefined
}

/** Removes a passkey of the person. Refuses `notFound`. */
export async function removePasskey({ database, now }: Services, user: Pick<User, "id">, id: number): Promise<void> {
  await database.write(async (tx) => {
    if ((await deletePasskey.changes(tx, { userId: user.id, id })) === 0) throw refuse.notFound()
    await noteFactors.changes(tx, { userId: user.id })
    publish(tx, { kind: "user.edited", user, actor: user, changed: ["passkeys"], at: now() })
  })
}
