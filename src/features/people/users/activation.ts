import { findUserById } from "../../../access/store.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { findTypedAddress } from "./addresses.ts"
import { type Holder, isUsable, readCode, takeCode } from "./codes.ts"
import { changePerson } from "./rules.ts"
import { letAddressCount } from "./store.ts"

/** How people show that an address is theirs: of a new account, which is active from then on, or one that they added. */

/**
 * Has the mail sent again that activates an account or confirms an address. Does nothing, and doesn't say so, where nothing waits for that.
 */
export async function askActivation({ database, now }: Services, typed: string): Promise<void> {
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

/** Whose account a code activates, or whose address it confirms; undefined for one that is void. Changes nothing. */
export const findActivation = ({ database, secrets, now }: Services, code: string): Promise<Holder | undefined> =>
  readCode(database.read, secrets, code, ["activate", "confirm"], now())

/** Does what the code is for. Refuses `notFound` one that is void. */
export function activate({ database, secrets, now }: Services, code: string): Promise<Holder> {
  return database.write(async (tx) => {
    const holder = await takeCode(tx, secrets, code, ["activate", "confirm"], now())
    if (holder.purpose === "activate") await changePerson(tx, holder.user.id, { is_active: 1 }, now())
    // One more name to sign in by makes no remembered sign-in void.
    else await letAddressCount(tx, { id: holder.address.id })
    return holder
  })
}
