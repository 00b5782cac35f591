import type { Command } from "commander"
import { examples } from "./examples.ts"
import type { Environment } from "./installation.ts"
import type { Terminal } from "./terminal.ts"

/** Adds `hearth signing-key …`: the key that the site signs commits with, also while a server runs. */
export function signingKeyCommands(program: Command, terminal: Terminal, env: () => Environment): void {
  const key = program
    .command("signing-key")
    .description("List and replace the keys that the site signs commits with. Whether it signs is set by signing.key.")
    .helpCommand(false)
    .addHelpText("after", examples("hearth signing-key list", "hearth signing-key renew"))
  const verbs = () => import("./signing-keys.ts")

  key
    .command("list")
    .description("Print the public keys, the current ones first. Former ones vouch for what they have signed.")
    .option("--json", "print JSON", false)
    .addHelpText("after", examples("hearth signing-key list", "hearth signing-key list --json"))
    .action(async (options: { json: boolean }) => (await verbs()).listSigningKeys(terminal, env(), options))

  key
    .command("renew")
    .description("Make a new key of the kind that signing.key names. The private half of the former one is destroyed.")
    .addHelpText("after", examples("hearth signing-key renew"))
    .action(async () => (await verbs()).renewSigningKey(terminal, env()))

  key
    .command("import")
    .description("Sign with a key of one's own, without passphrase: Ed25519 of OpenSSH or PEM, or an armoured OpenPGP key.")
    .argument("<file>", "the private key, which only its owner may be able to read; it is not changed")
    .addHelpText("after", examples("hearth signing-key import /root/forge_ed25519"))
    .action(async (file: string) => (await verbs()).importSigningKey(terminal, env(), file))

  key
    .command("forget")
    .description("Forget a former key, such as a stolen one. What it signed is verified no more.")
    .argument("<id>", "its fingerprint or id, as list prints it")
    .addHelpText("after", examples("hearth signing-key forget SHA256:bg3Z1QJ8mAA4E4EoR8m6fIoQpAH0Oaa5Vn0dS1jzZqE"))
    .action(async (id: string) => (await verbs()).forgetSigningKey(terminal, env(), id))
}
