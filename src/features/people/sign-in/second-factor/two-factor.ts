import type { User } from "../../../../core/actor.ts"
import type { Transaction } from "../../../../core/database/database.ts"
import { refuse } from "../../../../core/errors.ts"
import { publish } from "../../../../core/events/publish.ts"
import { t } from "../../../../core/language/message.ts"
import { networkOf } from "../../../../core/networks.ts"
import Type from "../../../../core/schema.ts"
import type { Secrets } from "../../../../core/secrets.ts"
import type { Services } from "../../../../core/services.ts"
import { findAddressesOf } from "../../users/addresses-store.ts"
import { noteFactors } from "../../users/factors-store.ts"
import { deleteSessionsOf, forgetSignIns } from "../../users/store.ts"
import { isFormerSecret, useFormer } from "../credentials/former-hashes.ts"
import { findFormerHash, removeFormerHash } from "../credentials/former-store.ts"
import {
  deleteRecoveryCode,
  deleteRecoveryCodes,
  deleteTwoFactor,
  findTwoFactor,
  insertRecoveryCodes,
  insertTwoFactor,
  noteStep,
} from "../credentials/store.ts"
import { openTicket, sealTicket } from "../credentials/tickets.ts"
import { forgetTries, requireTry } from "../guesses/guesses.ts"
import type { Guessed } from "../guesses/guesses-store.ts"
import { newTotpSecret, randomBase32, totpAddress, totpStep } from "./totp.ts"

export interface Enrolment {
  /** In base 32, for typing in. Returned only here and stored encrypted. */
  readonly secret: string
  /** The otpauth: URL, for a QR code that an app can read. */
  readonly address: string
  /** Each good once in place of a code, for those who have lost the app. Returned only here and stored as digests. */
  readonly recoveryCodes: readonly string[]
}

const RECOVERY_CODE = /^[a-z2-7]{16}$/
/** The one code of a server that was taken over: its letter case counts. */
const FORMER_CODE = /^[A-Za-z0-9]{8,40}$/
const RECOVERY_CODES = 8

/** 80 random bits, in groups of four for typing in. */
function newRecoveryCode(): string {
  const letters = randomBase32(10).toLowerCase()
  return letters.replace(/.{4}(?=.)/g, "$&-")
}

const plainRecoveryCode = (code: string): string => code.toLowerCase().replace(/[\s-]/g, "")

const recoveryDigest = (secrets: Secrets, { id }: Pick<User, "id">, code: string): string =>
  secrets.mac("scratch code", `${id} ${plainRecoveryCode(code)}`)

const issuerOf = ({ site }: Pick<Services, "site">): string => `Hearth ${site.host}`

/**
 * Requires a code beside the password from now on; tokens need none. Refuses `conflict` where two-factor authentication is already on: a user
 * who lost the app has it switched off first.
 */
export async function enableTwoFactor(services: Enabling, tx: Transaction, user: User): Promise<Enrolment> {
  const secret = newTotpSecret()
  const recoveryCodes = await enable(services, tx, user, { secret, step: 0 })
  return { secret, recoveryCodes, address: totpAddress(secret, user.name, issuerOf(services)) }
}

type Enabling = Pick<Services, "secrets" | "site" | "now">

/** Switches it on with a secret, whose codes count from the time step after `step`. Ends all sessions. */
async function enable(
  { secrets, now }: Pick<Services, "secrets" | "now">,
  tx: Transaction,
  user: User,
  { secret, step }: { readonly secret: string; readonly step: number },
): Promise<readonly string[]> {
  const made = await insertTwoFactor(tx, { sealedSecret: secrets.seal(secret, twoFactorContext(user)), now: now(), userId: user.id, step })
  if (made.numInsertedOrUpdatedRows !== 1n) throw refuse.conflict(t`${user.name} has a second factor already; disable it first`)
  const codes = await renewRecoveryCodes({ secrets }, tx, user)
  await noteFactors.changes(tx, { userId: user.id })
  await forgetSignIns(tx, user.id)
  await deleteSessionsOf.changes(tx, { userId: user.id })
  return codes
}

/** Gives the user new recovery codes in place of those until now. */
export async function renewRecoveryCodes(
  { secrets }: Pick<Services, "secrets">,
  tx: Transaction,
  user: Pick<User, "id">,
): Promise<readonly string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
  await deleteRecoveryCodes(tx, { userId: user.id })
  await removeFormerHash.changes(tx, { kind: "recovery code", subjectId: user.id })
  await insertRecoveryCodes(
    tx,
    codes.map((code) => ({ user_id: user.id, digest: recoveryDigest(secrets, user, code) })),
  )
  return codes
}

/** A secret that a person is shown and that is not in use before they have typed a code of it in. */
const proposed = {
  purpose: "proposed authenticator secret",
  content: Type.Object({ userId: Type.Integer(), version: Type.Integer(), secret: Type.String() }),
  seconds: 1_800,
}

export interface Proposal {
  /** In base 32, for typing in. */
  readonly secret: string
  /** The otpauth: URL, for a QR code that an app can read. */
  readonly address: string
  /** What the form carries that confirms it. */
  readonly ticket: string
}

/** A secret for an authenticator app, or the one that this ticket is for. Nothing is stored. */
export function proposeAuthenticator(services: Enabling, user: User, ticket = ""): Proposal {
  const known = readProposal(services, user, ticket)
  const secret = known?.secret ?? newTotpSecret()
  return {
    secret,
    address: totpAddress(secret, user.name, issuerOf(services)),
    ticket: known ? ticket : sealTicket(services, proposed, { userId: user.id, version: user.credentials_version, secret }),
  }
}

function readProposal(services: Enabling, user: User, ticket: string): { readonly secret: string } | undefined {
  const content = ticket === "" ? undefined : openTicket(services, proposed, ticket)?.content
  return content?.userId === user.id && content.version === user.credentials_version ? content : undefined
}

/**
 * Switches two-factor authentication on with a proposed secret, once a code of it was typed in; that code is used up. Gives the recovery codes.
 * Ends all sessions. Refuses `invalid` for a wrong code, `badRequest` for a proposal that is too old, `conflict` where it is on already.
 */
export async function confirmAuthenticator(
  services: Enabling & Pick<Services, "database">,
  user: User,
  { ticket, code }: { readonly ticket: string; readonly code: string },
): Promise<readonly string[]> {
  const known = readProposal(services, user, ticket)
  if (!known) throw refuse.badRequest("That took too long, or your account has changed. Begin again with the new secret")
  const step = totpStep(known.secret, code, services.now())
  if (step === undefined) throw refuse.invalid("code", "must be what the app shows now for this secret")
  return services.database.write((tx) => enable(services, tx, user, { secret: known.secret, step }))
}

/** Switches two-factor authentication off. Returns whether it was on. */
export async function disableTwoFactor(tx: Transaction, user: User): Promise<boolean> {
  const { numDeletedRows } = await deleteTwoFactor(tx, user.id)
  await deleteRecoveryCodes(tx, { userId: user.id })
  await removeFormerHash.changes(tx, { kind: "recovery code", subjectId: user.id })
  await forgetTries(tx, guessedOf(user))
  await noteFactors.changes(tx, { userId: user.id })
  await forgetSignIns(tx, user.id)
  await deleteSessionsOf.changes(tx, { userId: user.id })
  return numDeletedRows > 0n
}

const guessedOf = ({ id }: Pick<User, "id">): Guessed => ({ kind: "secondFactor", subject: id })

/**
 * True where the user has no second factor, or `code`, of the app or a recovery code, is right and was not used before; it is then used up. The only place where codes are checked.
 * Refuses `tooMany`, also for the right code, after too many wrong ones; the user is told by mail.
 */
export async function useSecondFactor(
  services: Pick<Services, "config" | "database" | "secrets" | "signIns" | "now">,
  user: User,
  code: string | undefined,
  address: string,
): Promise<boolean> {
  const { database, secrets, signIns, now } = services
  const factor = await findTwoFactor.first(database.read, { userId: user.id })
  if (!factor) return true
  if (!code) return false
  const wait = await requireTry(services, guessedOf(user))
  const isUsed = await (RECOVERY_CODE.test(plainRecoveryCode(code))
    ? database.write((tx) => useRecoveryCode(tx, user, recoveryDigest(secrets, user, code)))
    : FORMER_CODE.test(code) && !/^\d{6}$/.test(code)
      ? useFormerCode(services, user, code)
      : useCode(services, user, totpStep(secrets.unseal(factor.sealed_secret, twoFactorContext(user)), code, now())))
  signIns.count("secondFactor", isUsed ? "right" : "wrong")
  if (!isUsed) await database.write((tx) => noteWrongCode(services, tx, { user, address, wait }))
  return isUsed
}

const useCode = async ({ database }: Pick<Services, "database">, user: User, step: number | undefined): Promise<boolean> =>
  step !== undefined && database.write((tx) => useStep(tx, user, step))

/** Uses up the recovery code of a server that was taken over. */
async function useFormerCode({ database }: Pick<Services, "database">, user: User, code: string): Promise<boolean> {
  const former = await findFormerHash.first(database.read, { kind: "recovery code", subjectId: user.id })
  if (!former || !(await isFormerSecret(code, former))) return false
  return database.write(async (tx) => {
    if (!(await useFormer(tx, "recovery code", user.id))) return false
    await forgetTries(tx, guessedOf(user))
    return true
  })
}

/** Uses up a recovery code; false where there is none such, or no more. */
async function useRecoveryCode(tx: Transaction, user: User, digest: string): Promise<boolean> {
  if ((await deleteRecoveryCode.changes(tx, { userId: user.id, digest })) === 0) return false
  await forgetTries(tx, guessedOf(user))
  return true
}

/** Uses up the code of a time step, with those before it; false where that has happened already. */
async function useStep(tx: Transaction, user: User, step: number): Promise<boolean> {
  const { numUpdatedRows } = await noteStep(tx, { step, userId: user.id })
  if (numUpdatedRows === 0n) return false
  await forgetTries(tx, guessedOf(user))
  return true
}

async function noteWrongCode(
  { signIns, now }: Pick<Services, "signIns" | "now">,
  tx: Transaction,
  { user, address, wait }: { readonly user: User; readonly address: string; readonly wait: number },
): Promise<void> {
  await signIns.noteFailure(tx, { kind: "secondFactor", user, network: networkOf(address) })
  const primary = wait > 0 ? (await findAddressesOf(tx, { userId: user.id }))[0] : undefined
  if (primary) publish(tx, { kind: "account.codesGuessed", user, to: { address: primary.lower_email }, at: now() })
}

/** The context that a secret is encrypted for; it can't be decrypted for another user. */
export const twoFactorContext = (user: Pick<User, "id">): string => `two-factor:${user.id}`
