import type { Config } from "../../../core/config.ts"
import type { Site } from "../../../core/site.ts"

declare module "../../../core/services.ts" {
  interface Services {
    readonly mailer: Mailer
  }
}

/** A mail to one person. */
export interface Mail {
  readonly to: string
  /** The name beside the sender's address. */
  readonly fromName: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly messageId: string
  /** The ids of earlier mails of the thread, oldest first. */
  readonly references: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

/** Sends mails. */
export interface Mailer {
  /** Passes the mail to the server. Rejects with the error of the server or the connection. */
  readonly send: (mail: Mail, signal: AbortSignal) => Promise<void>
  /** Closes the connections. */
  readonly close: () => void
}

// Mails come in bursts: a few connections are kept open while there are mails to send.
const CONNECTIONS = 2
const SILENCE_MS = 30_000

/** The sender's address. */
const senderAddress = ({ mail }: Config, site: Site): string => mail.from || `noreply@${site.host}`

/**
 * A client of the configured mail server. Nothing is loaded or connected before the first mail, which is refused where no server is
 * configured.
 */
export function openMailer(config: Config, site: Site): Mailer {
  const { mail } = config
  let opened: ReturnType<typeof connect> | undefined

  async function connect() {
    if (mail.host === "") throw new Error("no mail server is configured: set mail.host")
    const { createTransport } = await import("nodemailer")
    return createTransport({
      pool: true,
      maxConnections: CONNECTIONS,
      host: mail.host,
      port: mail.port,
      secure: mail.tls === "implicit",
      requireTLS: mail.tls === "starttls",
      ignoreTLS: mail.tls === "none",
      connectionTimeout: SILENCE_MS,
      greetingTimeout: SILENCE_MS,
      socketTimeout: SILENCE_MS,
      // Mails consist of text only: nothing that a user wrote may cause a file or URL to be fetched.
      disableFileAccess: true,
      disableUrlAccess: true,
      ...(mail.username === "" ? {} : { auth: { user: mail.username, pass: mail.password } }),
    })
  }

  return {
    async send({ to, fromName, subject, text, html, messageId, references, headers }, signal) {
      opened ??= connect()
      const transport = await opened
      await transport.sendMail({
        // As objects, so that a name is never parsed as an address.
        from: { name: fromName, address: senderAddress(config, site) },
        to: { name: "", address: to },
        subject,
        text,
        html,
        messageId,
        ...(references.length === 0 ? {} : { references: [...references], inReplyTo: references[references.length - 1] }),
        headers: { ...headers },
        signal,
      })
    },
    close() {
      void opened?.then(
        (transport) => transport.close(),
        () => undefined,
      )
    },
  }
}
