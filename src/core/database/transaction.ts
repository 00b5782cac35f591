/** The life cycle of a transaction, the same on both databases: its statements, the check for idleness, its end, and effects after the commit. */
import type { Transaction as KyselyTransaction } from "kysely"
import { pause } from "../../seams/pause.ts"
import type { DatabaseKind, DatabaseLogger } from "./database.ts"
import { TransactionEnded, TransactionIdle } from "./failures.ts"
import { type Outcome, type Session, transactionOver } from "./session.ts"

/** The connection that a database provides for one transaction. */
export interface TransactionConnection {
  readonly kind: DatabaseKind
  begin(): Promise<void>
  execute<Row>(sql: string, parameters: readonly unknown[], name: string | undefined): Promise<Outcome<Row>>
  commit(): Promise<void>
  rollback(): Promise<void>
}

export interface TransactionRules {
  /** Milliseconds without a statement; undefined for no limit, which only migrations have, and what stands within another one. */
  readonly idleLimit: number | undefined
  /** Its work awaits other things than statements too, for no longer than that, and is done after so many milliseconds. */
  readonly longest?: number
  readonly logger: DatabaseLogger
}

type Effect = () => void

type Execute = TransactionConnection["execute"]

/** What is known of a transaction while it is open. */
interface Open {
  readonly kind: DatabaseKind
  readonly logger: DatabaseLogger
  readonly effects: Effect[]
  /** Runs a statement whose failure can be undone: the transaction goes on after it. */
  readonly execute: Execute
  /** The whole can't go on. */
  readonly fail: (error: unknown) => void
  /** What runs at the end of each transaction. Of any tables, as the handle itself. */
  readonly last: ((tx: never) => Promise<void>) | undefined
  /** Resolves when the transaction within this one that came last has ended. */
  inside: Promise<unknown>
}

const openOnes = new WeakMap<object, Open>()

/** Registers `effect` to be run after the commit. Throws when the transaction has ended. */
export function keepEffect(tx: object, effect: Effect): void {
  const effects = openOnes.get(tx)?.effects
  if (effects === undefined) throw new TransactionEnded("(an effect for after the commit)")
  effects.push(effect)
}

/**
 * Runs `work` within an open transaction, in a savepoint: what it has written stays if it succeeds and the whole commits, and is undone alone where it fails.
 * Its events are delivered at its end; its effects wait for the commit of the whole. Several that are asked for at once run one after another.
 */
export function runInside<T, R>(outer: KyselyTransaction<T>, work: (tx: KyselyTransaction<T>) => Promise<R>): Promise<R> {
  const open = openOnes.get(outer)
  if (open === undefined) return Promise.reject(new TransactionEnded("(a transaction within it)"))
  const { kind, logger, execute, fail, effects } = open
  const send = async (sql: string): Promise<void> => void (await execute(sql, [], undefined))
  const connection: TransactionConnection = {
    kind,
    begin: () => send("savepoint inside"),
    execute,
    commit: () => send("release savepoint inside"),
    async rollback() {
      try {
        await send("rollback to savepoint inside")
        await send("release savepoint inside")
      } catch (error) {
        fail(error)
      }
    },
  }
  const later = (more: readonly Effect[]) => void effects.push(...more)
  // The handle is of the same tables as that of the whole, whose step this is.
  const last = open.last as ((tx: KyselyTransaction<T>) => Promise<void>) | undefined
  const run = () => runTransaction(connection, { idleLimit: undefined, logger }, work, last, later)
  const running = open.inside.then(run)
  open.inside = running.catch(() => {})
  return running
}

/**
 * Runs `work` and then `last` between begin and commit; rolls back on any failure. Rejects with the first error of `work`, of a statement, or for idleness.
 * The effects are run after the commit, or given to `later`.
 */
export async function runTransaction<T, R>(
  connection: TransactionConnection,
  rules: TransactionRules,
  work: (tx: KyselyTransaction<T>) => Promise<R>,
  last?: (tx: KyselyTransaction<T>) => Promise<void>,
  later?: (effects: readonly Effect[]) => void,
): Promise<R> {
  await connection.begin()
  let open = true
  let failure: { readonly error: unknown } | undefined
  let running = 0
  let count = 0
  let lastStatement = ""

  const fail = (error: unknown): void => {
    failure ??= { error }
  }
  function execute<Row>(
    sql: string,
    parameters: readonly unknown[],
    name: string | undefined,
    failed: (error: unknown) => void,
  ): Promise<Outcome<Row>> {
    if (!open) return Promise.reject(new TransactionEnded(name ?? sql))
    // PostgreSQL refuses everything after a failed statement; SQLite would go on, and hide what fails on the other.
    if (failure !== undefined) return Promise.reject(failure.error)
    running++
    count++
    lastStatement = name ?? sql
    return connection.execute<Row>(sql, parameters, name).then(
      (outcome) => {
        running--
        return outcome
      },
      (error: unknown) => {
        running--
        failed(error)
        throw error
      },
    )
  }
  const session: Session = {
    kind: connection.kind,
    execute: (sql, parameters, name) => execute(sql, parameters, name, fail),
  }
  const tx = transactionOver<T>(session)
  const effects: Effect[] = []
  openOnes.set(tx, {
    kind: connection.kind,
    logger: rules.logger,
    effects,
    execute: (sql, parameters, name) => execute(sql, parameters, name, () => {}),
    fail,
    last,
    inside: Promise.resolve(),
  })
  const guard = guardIdle(connection.kind, rules, { isRunning: () => running > 0, count: () => count, last: () => lastStatement })

  const whole = async (): Promise<R> => {
    const value = await work(tx)
    await last?.(tx)
    return value
  }
  try {
    const value = await (guard === undefined ? whole() : Promise.race([whole(), guard.expired]))
    if (failure !== undefined) throw failure.error
    open = false
    guard?.stop()
    await connection.commit()
    if (pause && !later) await pause("transaction.afterCommit")
    if (later) later(effects)
    else for (const effect of effects) runEffect(effect, rules.logger)
    return value
  } catch (error) {
    open = false
    guard?.stop()
    await connection.rollback()
    throw error
  } finally {
    guard?.stop()
    openOnes.delete(tx)
  }
}

function runEffect(effect: Effect, logger: DatabaseLogger): void {
  try {
    effect()
  } catch (error) {
    // The transaction is committed: its caller must not be told that it failed.
    logger.error({ err: error }, "an effect after a commit failed")
  }
}

interface Activity {
  readonly isRunning: () => boolean
  readonly count: () => number
  readonly last: () => string
}

/** Milliseconds that a held transaction may take, see `hold`. On SQLite all others who write wait for it. */
export const LONGEST_HELD_MS: Readonly<Record<DatabaseKind, number>> = { sqlite: 7_000, postgres: 40_000 }

/** Milliseconds by which a timer may be late on a busy machine. */
const LATE_MS = 500

/**
 * Detects a transaction that waits for something other than the database. SQLite answers within the call, so a transaction that awaits only the database
 * ends before the event loop turns: when it is still open then, that alone is worth a warning.
 */
function guardIdle(kind: DatabaseKind, rules: TransactionRules, activity: Activity) {
  const limit = rules.idleLimit
  if (limit === undefined) return undefined
  let expire: (error: Error) => void = () => {}
  const expired = new Promise<never>((_, reject) => {
    expire = reject
  })
  // A transaction that ends in time leaves this promise behind, and one that is rolled back may be rejected twice.
  expired.catch(() => {})

  let seen = activity.count()
  let timer: NodeJS.Timeout | undefined
  const begun = performance.now()
  let looked = begun
  const check = () => {
    // Late: the process itself stood still, and what it awaits may have arrived.
    const isLate = performance.now() - looked > interval + LATE_MS
    looked = performance.now()
    const idle = !isLate && !activity.isRunning() && activity.count() === seen
    seen = activity.count()
    if (idle || (rules.longest !== undefined && looked - begun > rules.longest)) expire(new TransactionIdle(interval, activity.last()))
    else timer = setTimeout(check, interval)
  }
  // PostgreSQL's answers come by the event loop, so idleness there can only be detected over a span of time.
  const interval = kind === "postgres" ? Math.max(limit, 50) : limit
  const turn =
    kind === "sqlite"
      ? setImmediate(() => {
          if (limit === 0) return expire(new TransactionIdle(0, activity.last()))
          if (rules.longest === undefined)
            rules.logger.warn({ lastStatement: activity.last() }, "a transaction waits for something that is not the database")
          seen = activity.count()
          timer = setTimeout(check, interval)
        })
      : undefined
  if (kind === "postgres") timer = setTimeout(check, interval)

  return {
    expired,
    stop() {
      if (turn !== undefined) clearImmediate(turn)
      clearTimeout(timer)
    },
  }
}
