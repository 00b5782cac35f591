import type { User } from "../../../../core/actor.ts"
import type { Transaction } from "../../../../core/database/database.ts"
import { networkOf } from "../../../../core/networks.ts"
import type { Services } from "../../../../core/services.ts"
import { forgetTries, requireTry, tooManyTries } from "./guesses.ts"
import { findSignInAddress, type Guessed, saveSignInAddress, trimSignInAddresses } from "./guesses-store.ts"

/**
 * Slows guessing of passwords down, by network and by account. Guesses from many networks must not lock the owner out: a network from which an
 * account was signed in to before is not slowed by the account's count, but only by a count of its own for that account.
 */
export interface PasswordGuesses {
  /** Counts a try before the password is checked. Refuses `tooMany`. The same costs for accounts and for names without one. */
  readonly begin: (user: User | undefined, lowerLogin: string, address: string) => Promise<PasswordTry>
}

export interface PasswordTry {
  readonly network: string
  /** The sign-in is complete: the counts end, and the network is one that the account is used from. */
  readonly right: () => Promise<void>
  /** The password was wrong. */
  readonly wrong: () => Promise<void>
  /** The password was right, but more is needed that was not shown. */
  readonly incomplete: () => void
  /**
   * The password was right, and the one who showed it is told so and asked for the second factor: the count ends, as there is nothing left to guess,
   * but the network is not yet one that the account is used from.
   */
  readonly halfway: () => Promise<void>
  /** The password was not checked. */
  readonly unchecked: () => void
}

/** Names without an account share so many counts: there is no end to such names. */
const UNKNOWN_NAMES = 4_096

/** How exact it is noted when a network was used last, in seconds. */
const SEEN_EXACTNESS = 86_400

const digestOf = ({ secrets }: Pick<Services, "secrets">, userId: number, network: string): string =>
  secrets.mac("sign-in address", `${userId} ${network}`)

/** Notes that the account was signed in to from a network. */
export async function noteSignInAddress(
  services: Pick<Services, "secrets" | "now">,
  tx: Transaction,
  userId: number,
  network: string,
): Promise<void> {
  await saveSignInAddress(tx, { userId, digest: digestOf(services, userId, network), now: services.now() })
  await trimSignInAddresses(tx, { userId })
}

export function openPasswordGuesses(services: Services): PasswordGuesses {
  const { config, database, now, secrets, signIns } = services
  const { perAccount, perAddress } = config.security.guesses

  function guessedOf(user: User | undefined, lowerLogin: string): Guessed {
    if (user) return { kind: "password", subject: user.id }
    const number = Buffer.from(secrets.mac("unknown name", lowerLogin), "base64url").readUInt16BE(0)
    return { kind: "password", subject: -1 - (number % UNKNOWN_NAMES) }
  }

  async function begin(user: User | undefined, lowerLogin: string, address: string): Promise<PasswordTry> {
    const network = networkOf(address)
    const guessed = guessedOf(user, lowerLogin)
    const known = await findSignInAddress.first(database.read, {
      userId: guessed.subject,
      digest: digestOf(services, guessed.subject, network),
    })
    const ofPair = { key: `${network} ${guessed.subject}`, free: perAccount, forgives: true }
    // A right try forgives nothing here: an attacker with an account of their own would use it between guesses.
    const ofNetwork = { key: network, free: perAddress, forgives: false }
    const end = signIns.waits.begin(known ? [ofPair] : [ofPair, ofNetwork], now())
    if (typeof end === "number") {
      signIns.count("password", "refused")
      throw tooManyTries("password", end)
    }
    try {
      if (!known) await requireTry(services, guessed)
    } catch (error) {
      end("unchecked", now())
      throw error
    }
    return {
      network,
      incomplete: () => end("wrong", now()),
      unchecked: () => end("unchecked", now()),
      halfway: async () => {
        end("right", now())
        if (!known) await database.write((tx) => forgetTries(tx, guessed))
      },
      wrong: async () => {
        end("wrong", now())
        signIns.count("password", "wrong")
        await database.write((tx) => signIns.noteFailure(tx, { kind: "password", user, network }))
      },
      right: async () => {
        end("right", now())
        if (!user || (known && now() - known.seen_at < SEEN_EXACTNESS)) return
        await database.write(async (tx) => {
          if (!known) await forgetTries(tx, guessed)
          await noteSignInAddress(services, tx, user.id, network)
        })
      },
    }
  }
  return { begin }
}
