import { findUserById } from "../../../access/store.ts"
import { inConstantTime } from "../../../core/constant-time.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { findTypedAddress } from "./addresses.ts"
import { confirmAddress } from "./addresses-store.ts"
import { type Holder, isUsable, readCode, redeemCode } from "./codes.ts"
import { changePerson } from "./rules.ts"

/** How users prove that an address is theirs: the address of a new account, which is active from then on, or one that they added. */

/**
 * Sends the mail that activates an account or confirms an address again. Does nothing, and doesn't say so, where neither is pending; the time
 * that it takes doesn't say so either.
 */
export const requestActivation = (services: Services, typed: string): Promise<void> => inConstantTime(mailActivation(services, typed))

async function mailActivation({ database, now }: Services, typed: string): Promise<void> {
  const address = await findTypedAddress(database.read, typed)
  const user = address && (await findUserById.first(database.read, { id: address.user_id }))
  if (!user) return
  const about = isUsable({ purpose: "activate", user, address })
    ? "account.activationNeeded"
    : isUsable({ purpose: "confirm", user, address })
      ? "account.addressAdded"
      : undefined
  if (about) await database.write(async (tx) => publish(tx, { kind: about, user, to: { address: address.lower_email }, at: now() }))
}

/** The account that a code activates, or the user whose address it confirms; undefined for a void code. Changes nothing. */
export const findActivation = ({ database, secrets, now }: Services, code: string): Promise<Holder | undefined> =>
  readCode(database.read, secrets, code, ["activate", "confirm"], now())

/** Activates the account or confirms the address. Refuses `notFound` for a void code. */
export function activate({ database, secrets, now }: Services, code: string): Promise<Holder> {
  return database.write(async (tx) => {
    const holder = await redeemCode(tx, secrets, code, ["activate", "confirm"], now())
    if (holder.purpose === "activate") await changePerson(tx, holder.user.id, { is_active: 1 }, { now: now(), actor: holder.user })
    // Another address to sign in by doesn't void remembered sign-ins.
    else await confirmAddress(tx, { id: holder.address.id })
    return holder
  })
}
