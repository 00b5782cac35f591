import { SMTPServer } from "smtp-server"

/** A received mail. */
export interface Arrived {
  readonly from: string
  readonly to: string
  /** Unfolded, names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  /** The parts by their type, decoded. */
  readonly parts: ReadonlyMap<string, string>
}

export interface MailServer {
  readonly port: number
  /** In the order of arrival; tests empty it. */
  readonly arrived: Arrived[]
  /** How many mails to an address are still refused. */
  readonly refusals: Map<string, number>
  readonly close: () => Promise<void>
}

/** The configuration that makes a server send through it. */
export const mailConfig = ({ port }: MailServer) =>
  ({ host: "127.0.0.1", port, tls: "none", username: "hearth", password: "mail-secret", from: "forge@example.org" }) as const

/** A mail server on this machine that stores the mails it receives, and refuses the first mails to an address as often as asked. */
export async function openMailServer(): Promise<MailServer> {
  const arrived: Arrived[] = []
  const refusals = new Map<string, number>()
  const server = new SMTPServer({
    // A forge that is closed later keeps its connection open: not for the 30 s that the package would wait.
    closeTimeout: 100,
    disabledCommands: ["STARTTLS"],
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === "hearth" && password === "mail-secret" ? done(null, { user: username }) : done(new Error("wrong name or password")),
    onRcptTo: ({ address }, _session, done) => {
      const left = refusals.get(address) ?? 0
      refusals.set(address, left - 1)
      done(left > 0 ? new Error("try again later") : undefined)
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope
        arrived.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address).join(),
          ...parse(Buffer.concat(chunks).toString("utf8")),
        })
        done()
      })
    },
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const address = server.server.address()
  if (typeof address !== "object" || address === null) throw new Error("the mail server has no port")
  return { port: address.port, arrived, refusals, close: () => new Promise<void>((closed) => server.close(() => closed())) }
}

function parse(message: string): Pick<Arrived, "headers" | "parts"> {
  const { headers, body } = split(message)
  const boundary = /boundary="([^"]+)"/.exec(headers.get("content-type") ?? "")?.[1]
  const parts = body.split(`--${boundary}`).flatMap((part) => {
    const { headers: inner, body: text } = split(part.replace(/^\r\n/, ""))
    const type = inner.get("content-type")?.split(";")[0]
    return type ? [[type, decode(text, inner.get("content-transfer-encoding") ?? "7bit").trim()] as const] : []
  })
  return { headers, parts: new Map(parts) }
}

function split(message: string) {
  const end = message.indexOf("\r\n\r\n")
  const lines = message
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n")
  return {
    headers: new Map(lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()])),
    body: message.slice(end + 4),
  }
}

function decode(text: string, encoding: string): string {
  if (encoding === "base64") return Buffer.from(text, "base64").toString("utf8")
  if (encoding !== "quoted-printable") return text
  const bytes = text.replace(/=\r\n/g, "").replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, "latin1").toString("utf8")
}
