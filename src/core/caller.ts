import { AsyncLocalStorage } from "node:async_hooks"
import { type Caller, ownCaller } from "../git/index.ts"

/*
 * Who the current work is done for. Limits share what is scarce fairly among callers, and what a token for one task makes is marked with its name, many
 * calls below the server that knows them: this is the one thing that is not passed as a parameter.
 */

/** A caller whose account becomes known once its credentials are checked. */
interface Connected extends Caller {
  account: string | undefined
  /** The name of the token for one task that the work is done with. */
  readonly token?: string
}

const callers = new AsyncLocalStorage<Connected>()

/** Does work of the service itself, whoever has caused it: it counts to nobody's shares. */
export const workOfService = <T>(work: () => T): T => callers.run({ account: undefined, address: undefined, signal: undefined }, work)

/** The caller of the current work; `ownCaller` for work of the service itself. */
export const currentCaller = (): Caller => callers.getStore() ?? ownCaller

/**
 * The current caller as one text: the same for all that an account does, with whatever it signed in, and for all that comes from a network without a sign-in.
 * What is shared out or counted by caller goes by it. Where something else is meant, that has a text of its own: an Idempotency-Key belongs to one credential, a
 * kept answer to all that it depends on, and guesses are counted by the network and by the account that they are about.
 */
export function callerKey(): string {
  const { account, address } = currentCaller()
  return account === undefined ? `from ${address ?? "here"}` : `account ${account}`
}

/** Does the work for someone at this address. `signal` is asked for only when something costly is to be done. */
export function workFor<T>(address: string | undefined, signal: () => AbortSignal | undefined, work: () => T): T {
  let known: AbortSignal | undefined
  const caller: Connected = {
    account: undefined,
    address,
    get signal() {
      known ??= signal()
      return known
    },
  }
  return callers.run(caller, work)
}

/** Says whose account the current caller has. */
export function identifyCaller(userId: number): void {
  const caller = callers.getStore()
  if (caller) caller.account = String(userId)
}

/** Does the work with a token for one task: what it makes is marked with the token's name. */
export const workWithToken = <T>(token: string, work: () => T): T => {
  const { account, address, signal } = currentCaller()
  return callers.run({ account, address, signal, token }, work)
}

/** The name of the token for one task that the current work is done with; "" where it is done otherwise. */
export const currentToken = (): string => callers.getStore()?.token ?? ""

/** Does the work for the current caller, whose shares it counts to, but goes on when the caller is gone. */
export const workDetached = <T>(work: () => T): T => {
  const { account, address } = currentCaller()
  return callers.run({ account, address, signal: undefined }, work)
}
