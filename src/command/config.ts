import { describeConfig, effectiveConfig, type LoadedConfig } from "../core/config.ts"
import { columns } from "./table.ts"
import type { Terminal } from "./terminal.ts"

/** Prints every setting with its effective value and where that came from; secrets are hidden. */
export function printConfig({ out, say }: Terminal, loaded: LoadedConfig, { json }: { readonly json: boolean }): void {
  const settings = effectiveConfig(loaded)
  if (json) {
    out(JSON.stringify(Object.fromEntries(settings.map(({ key, value, source }) => [key, { value, source }])), null, 2))
    return
  }
  for (const line of columns(settings.map(({ key, value, source }) => [key, value === "" ? "(not set)" : value, source]))) out(line)
  say(`\nFile: ${loaded.file ?? "none"}. What each setting means: hearth config --explain`)
}

/** Prints what each setting means, which variable sets it, what it accepts, and its default. */
export function explainConfig({ out }: Terminal): void {
  for (const { key, variable, accepts, fallback, description } of describeConfig())
    out(`${key}  ${variable}\n  ${description}\n  Accepts ${accepts}. Default: ${fallback === "" ? "not set" : fallback}\n`)
}
