import { randomBytes } from "node:crypto"
import type { Transaction } from "../../../../core/database/database.ts"
import type { Task } from "../../../../core/jobs/jobs.ts"
import Type, { Check, type Static, type TSchema } from "../../../../core/schema.ts"
import { SealBroken } from "../../../../core/secrets.ts"
import type { Services } from "../../../../core/services.ts"
import { deleteOldTickets, noteTicketUse } from "./store.ts"

/**
 * What a browser carries from one step of a sign-in to the next: sealed, for one purpose, and good for minutes. Nothing is stored while the steps go
 * on, so that visitors can't fill the database; what is good once is noted when it is used.
 */
export interface TicketKind<S extends TSchema = TSchema> {
  readonly purpose: string
  readonly content: S
  readonly seconds: number
}

export interface Ticket<T> {
  readonly id: string
  readonly until: number
  readonly content: T
}

type Sealing = Pick<Services, "secrets" | "now">

const Envelope = Type.Object({ id: Type.String(), until: Type.Integer(), content: Type.Unknown() })

const contextOf = ({ purpose }: TicketKind): string => `ticket: ${purpose}`

/** A ticket's text. It may be shown to the browser that it is for, and holds nothing that can be read. */
export function sealTicket<S extends TSchema>({ secrets, now }: Sealing, kind: TicketKind<S>, content: Static<S>): string {
  const envelope = { id: randomBytes(16).toString("base64url"), until: now() + kind.seconds, content }
  return secrets.seal(JSON.stringify(envelope), contextOf(kind))
}

/** What a text was sealed from; undefined where it is no ticket of this kind, or is too old. It may have been used. */
export function openTicket<S extends TSchema>({ secrets, now }: Sealing, kind: TicketKind<S>, text: string): Ticket<Static<S>> | undefined {
  try {
    const envelope: unknown = JSON.parse(secrets.unseal(text, contextOf(kind)))
    if (!Check(Envelope, envelope) || envelope.until <= now() || !Check(kind.content, envelope.content)) return undefined
    return { id: envelope.id, until: envelope.until, content: envelope.content }
  } catch (error) {
    if (error instanceof SealBroken) return undefined
    throw error
  }
}

/** Uses a ticket up. False where that has happened before. */
export const useTicket = async (tx: Transaction, { id, until }: Ticket<unknown>): Promise<boolean> =>
  (await noteTicketUse.changes(tx, { id, expiresAt: until })) === 1

/** Forgets used tickets that would not be taken any more anyway. */
export const forgetTickets: Task = {
  name: "forget_tickets",
  cron: "50 * * * *",
  run: async ({ database, now }) => {
    await database.write((tx) => deleteOldTickets(tx, { now: now() }))
    return undefined
  },
}
