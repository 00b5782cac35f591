import { randomUUID } from "node:crypto"
import type { Transaction } from "../../../../core/database/database.ts"
import type { Metrics } from "../../../../core/metrics.ts"
import type { Services } from "../../../../core/services.ts"
import { noteFailure } from "./guesses-store.ts"
import { openWaits, type Waits } from "./waits.ts"

declare module "../../../../core/services.ts" {
  interface Services {
    readonly signIns: SignIns
  }
}

/** What became of a secret that was shown: `refused` before it was checked, after too many wrong ones. */
export type SignInOutcome = "right" | "wrong" | "refused"

export interface FailedSignIn {
  readonly kind: "password" | "secondFactor"
  /** Undefined where there is no account of that name; the name itself may be a password, typed into the wrong field. */
  readonly user: { readonly id: number; readonly name: string } | undefined
  readonly network: string
}

/** What is written down about sign-ins. */
export interface SignIns {
  /** Counts for /metrics. */
  readonly count: (kind: "password" | "secondFactor" | "passkey" | "clientSecret" | "token" | "key", outcome: SignInOutcome) => void
  /** Adds to the audit log: one row for all failures of one kind, account, network and hour. One statement. */
  readonly noteFailure: (tx: Transaction, failed: FailedSignIn) => Promise<void>
  /** Wrong tries by network. */
  readonly waits: Pick<Waits, "begin">
}

export interface OpenSignIns extends SignIns {
  /** Hears of the wrong tries that other processes have counted, from now on. */
  readonly begin: () => Promise<void>
  readonly close: () => Promise<void>
}

const HOUR = 3_600

/** The most rows that are added in an hour; further failures are noted by account only. So a flood from many networks can't fill the database. */
const MOST_ROWS = 1_000

const OPERATIONS = { password: "wrongPassword", secondFactor: "wrongSecondFactor" } as const

/** Where processes tell each other of wrong tries: who tells, and what. */
const CHANNEL = "hearth_waits"

export function openSignIns({
  config,
  database,
  metrics,
  now,
  share,
  log,
}: Pick<Services, "config" | "database" | "now" | "share" | "log"> & { readonly metrics: Metrics }): OpenSignIns {
  const self = randomUUID()
  let stopListening = async (): Promise<void> => {}
  const waits = openWaits(config.security.guesses, (told) => {
    database
      .notify(CHANNEL, `${self} ${told}`)
      .catch((error: unknown) => log.warn({ err: error }, "other processes can't be told of wrong tries"))
  })
  const add = metrics.counterBy("hearth_sign_ins_total", "Passwords, second-factor codes, passkeys, tokens and SSH keys that were shown.", [
    "kind",
    "outcome",
  ])
  let hour = 0
  const noted = new Set<string>()

  function keyOf({ kind, user, network }: FailedSignIn, moment: number): { readonly key: string; readonly network: string } {
    const current = Math.floor(moment / HOUR)
    if (current !== hour) noted.clear()
    hour = current
    const key = [kind, user?.id ?? 0, current, network].join(" ")
    if (noted.size < share(MOST_ROWS)) noted.add(key)
    return noted.has(key) ? { key, network } : { key: [kind, user?.id ?? 0, current, ""].join(" "), network: "" }
  }

  return {
    count: (kind, outcome) => add({ kind: kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), outcome }),
    waits,
    async begin() {
      stopListening = await database.listen(CHANNEL, (told = "") => {
        const [by = "", what = ""] = told.split(/ (.*)/s)
        if (by !== self) waits.hear(what, now())
      })
    },
    close: () => stopListening(),
    noteFailure: async (tx, failed) => {
      const moment = now()
      const { key, network } = keyOf(failed, moment)
      await noteFailure(tx, { operation: OPERATIONS[failed.kind], account: failed.user?.name ?? "", network, key, now: moment })
    },
  }
}
