import type { data, Lexer } from "@actions/expressions"
import type { FunctionDefinition, FunctionInfo } from "@actions/expressions/funcs/info"
import { onDemand } from "../../../core/program/on-demand.ts"
import { parseJson } from "../../../core/text/json.ts"

/** The expressions of workflows. Everything that they can take is bounded, because they are texts of others. */

/** An expression that can't be evaluated; the message is for its author. */
export class ExpressionError extends Error {}

/** The values that expressions can name, as JSON; a name that is missing is refused. */
export type Contexts = Readonly<Record<string, unknown>>

/** What the functions say of the jobs before. */
export interface StatusOfNeeds {
  readonly success: boolean
  readonly failure: boolean
  readonly cancelled: boolean
}

/** What may still be spent on the expressions of one change: about one for each value and each character that they handle. */
export interface Fuel {
  left: number
}

const MOST_FUEL = 8_000_000
/** The maximum characters of a text with expressions, and of what comes out. */
const LONGEST_TEXT = 65_536
/** The maximum characters of one expression. */
const LONGEST_EXPRESSION = 21_000
const LONGEST_RESULT = 1_048_576

export const newFuel = (): Fuel => ({ left: MOST_FUEL })

type Value = data.ExpressionData

const isList = (value: Value): value is data.Array => value instanceof onDemand("@actions/expressions").data.Array
const isMapping = (value: Value): value is data.Dictionary => value instanceof onDemand("@actions/expressions").data.Dictionary

/** Takes fuel for something of this size. Throws `ExpressionError` with the message when there is not enough. */
export function spend(fuel: Fuel, amount: number, message = "the expressions of this workflow take too much work"): void {
  fuel.left -= amount
  if (fuel.left < 0) throw new ExpressionError(message)
}

// --- texts with expressions ------------------------------------------------------------------------------------------------------

/** A part of a text: itself, or an expression. */
type Part = { readonly text: string } | { readonly expression: string }

/** Whether a text has expressions. */
export const hasExpression = (text: string): boolean => text.includes("${{")

/** The parts of a text. Throws `ExpressionError` where an expression isn't closed, or the text is too long. */
function partsOf(text: string): readonly Part[] {
  if (!hasExpression(text)) return [{ text }]
  if (text.length > LONGEST_TEXT) throw new ExpressionError(`a text with expressions is longer than ${LONGEST_TEXT} characters`)
  const parts: Part[] = []
  for (let at = 0; at < text.length; ) {
    const start = text.indexOf("${{", at)
    if (start < 0) {
      parts.push({ text: text.slice(at) })
      break
    }
    if (start > at) parts.push({ text: text.slice(at, start) })
    const end = endOf(text, start + 3)
    parts.push({ expression: text.slice(start + 3, end) })
    at = end + 2
  }
  return parts
}

/** Where an expression ends: the next braces outside of a text in it. */
function endOf(text: string, from: number): number {
  for (let at = from, quoted = false; at < text.length; at++) {
    if (text[at] === "'") quoted = !quoted
    else if (!quoted && text.startsWith("}}", at)) return at
  }
  throw new ExpressionError(`an expression is not closed: ${shown(text.slice(from - 3))}`)
}

const shown = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

/**
 * The value of a text: that of its expression where it is one expression, else the text with the values of its expressions. Other values
 * are returned as they are. Throws `ExpressionError`.
 */
export function evaluate(value: unknown, contexts: Contexts, fuel: Fuel): unknown {
  if (typeof value !== "string") return value
  const parts = partsOf(value)
  const [first] = parts
  if (first && parts.length === 1 && "expression" in first) return plain(run(first.expression, contexts, fuel), fuel)
  const texts = parts.map((part) => ("text" in part ? part.text : run(part.expression, contexts, fuel).coerceString()))
  const result = texts.join("")
  if (result.length > LONGEST_RESULT) throw new ExpressionError(`what an expression gives is longer than ${LONGEST_RESULT} characters`)
  return result
}

/** Evaluates every text in a value. Throws `ExpressionError`. */
export function evaluateAll(value: unknown, contexts: Contexts, fuel: Fuel): unknown {
  if (Array.isArray(value)) return value.map((one) => evaluateAll(one, contexts, fuel))
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, evaluateAll(one, contexts, fuel)]))
  return evaluate(value, contexts, fuel)
}

/** A text with the values of its expressions. Throws `ExpressionError`. */
export function interpolate(text: string, contexts: Contexts, fuel: Fuel): string {
  const value = evaluate(text, contexts, fuel)
  return typeof value === "string" ? value : typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "")
}

/**
 * Whether a condition holds; an empty one holds where everything before has succeeded. One that asks for no status of the jobs before
 * holds only where these have succeeded, too. Throws `ExpressionError`.
 */
export function holds(condition: string, contexts: Contexts, status: StatusOfNeeds, fuel: Fuel): boolean {
  if (condition.trim() === "") return status.success
  const expression = conditionOf(condition)
  if (expression === undefined) return status.success && interpolate(condition, contexts, fuel) !== ""
  if (!asksForStatus(expression) && !status.success) {
    parse(expression, Object.keys(contexts))
    return false
  }
  return isTruthy(run(expression, contexts, fuel, status))
}

/** The expression of a condition, which needs no braces; undefined for a text with expressions in it. */
function conditionOf(condition: string): string | undefined {
  const [first, ...more] = partsOf(condition.trim())
  if (!first || more.length > 0) return undefined
  return "text" in first ? first.text : first.expression
}

const STATUS_FUNCTIONS = ["success", "failure", "cancelled", "always"] as const

const asksForStatus = (expression: string): boolean => {
  const tokens = lex(expression)
  return tokens.some(
    ({ lexeme }, index) => STATUS_FUNCTIONS.some((name) => name === lexeme.toLowerCase()) && tokens[index + 1]?.lexeme === "(",
  )
}

/** Throws `ExpressionError` where a text's expressions can't be read, or name other contexts. */
export function requireReadable(text: string, names: readonly string[]): void {
  for (const part of partsOf(text)) if ("expression" in part) parse(part.expression, names)
}

/** Throws `ExpressionError` where a condition can't be read, or names other contexts. */
export function requireCondition(condition: string, names: readonly string[]): void {
  const expression = conditionOf(condition)
  if (expression === undefined) requireReadable(condition, names)
  else if (expression.trim() !== "") parse(expression, names)
}

/** Whether a value has an expression that names a context. */
export function names(value: unknown, context: string): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some((one) => names(one, context))
  if (typeof value !== "string" || !hasExpression(value)) return false
  return partsOf(value).some(
    (part) =>
      "expression" in part &&
      lex(part.expression).some(({ lexeme }, index, all) => lexeme.toLowerCase() === context && all[index - 1]?.lexeme !== "."),
  )
}

// --- single expressions ----------------------------------------------------------------------------------------------------------

function lex(expression: string): ReturnType<Lexer["lex"]>["tokens"] {
  if (expression.length > LONGEST_EXPRESSION)
    throw new ExpressionError(`an expression is longer than ${LONGEST_EXPRESSION} characters: ${shown(expression.trim())}`)
  try {
    return new (onDemand("@actions/expressions").Lexer)(expression).lex().tokens
  } catch (error) {
    throw readable(error, expression)
  }
}

/** The library's errors with the expression that they are of. */
const readable = (error: unknown, expression: string): ExpressionError =>
  error instanceof ExpressionError
    ? error
    : new ExpressionError(
        `${error instanceof Error ? error.message : "it can't be evaluated"} (in the expression: ${shown(expression.trim())})`,
      )

function parse(expression: string, names: readonly string[]) {
  const { Parser } = onDemand("@actions/expressions")
  try {
    const tree = new Parser(lex(expression), [...names], functionsOf(undefined, { left: 0 })).parse()
    if (!tree) throw new ExpressionError("an expression is empty")
    return tree
  } catch (error) {
    throw readable(error, expression)
  }
}

const NO_STATUS: StatusOfNeeds = { success: true, failure: false, cancelled: false }

function run(expression: string, contexts: Contexts, fuel: Fuel, status = NO_STATUS): Value {
  const tree = parse(expression, Object.keys(contexts))
  spend(fuel, expression.length)
  try {
    const functions = new Map(functionsOf(status, fuel).map((one) => [one.name, one]))
    return new (boundedEvaluator())(tree, dataOf(contexts), functions, fuel).evaluate()
  } catch (error) {
    throw readable(error, expression)
  }
}

const isTruthy = (value: Value): boolean => {
  const { Kind } = onDemand("@actions/expressions").data
  if (value.kind === Kind.Null) return false
  if (value.kind === Kind.String) return value.coerceString() !== ""
  if (value.kind === Kind.Boolean || value.kind === Kind.Number) return Boolean(value.number())
  return true
}

type Bounded = new (
  ...given: [...ConstructorParameters<typeof import("@actions/expressions").Evaluator>, fuel: Fuel]
) => InstanceType<typeof import("@actions/expressions").Evaluator>

let bounded: Bounded | undefined

/** An evaluator that spends fuel on all that it handles. Only known functions are called, not the members of every object. */
function boundedEvaluator(): Bounded {
  const { Evaluator } = onDemand("@actions/expressions")
  bounded ??= class extends Evaluator {
    readonly #fuel: Fuel
    constructor(...[tree, context, functions, fuel]: ConstructorParameters<Bounded>) {
      super(tree, context, functions)
      this.#fuel = fuel
    }
    protected override eval(tree: Parameters<InstanceType<typeof Evaluator>["eval"]>[0]): Value {
      const value = super.eval(tree) ?? new (onDemand("@actions/expressions").data.Null)()
      spend(this.#fuel, 1 + sizeOf(value))
      return value
    }
  }
  return bounded
}

/** The characters of a text, or the members of a list. */
const sizeOf = (value: Value): number => {
  if (isList(value) || isMapping(value)) return value.values().length
  return value.coerceString().length
}

const weights = new WeakMap<object, number>()

/** The characters and members of a value with all that is in it. */
function weightOf(value: Value): number {
  if (!isList(value) && !isMapping(value)) return sizeOf(value)
  const known = weights.get(value)
  if (known !== undefined) return known
  const names = isMapping(value) ? value.pairs().reduce((sum, { key }) => sum + key.length, 0) : 0
  const weight = value.values().reduce<number>((sum, one) => sum + 1 + weightOf(one), names)
  weights.set(value, weight)
  return weight
}

// --- functions -------------------------------------------------------------------------------------------------------------------

/** The names of functions in small letters, as the library looks for them. */
function functionsOf(status: StatusOfNeeds | undefined, fuel: Fuel): FunctionDefinition[] {
  const { data, wellKnownFunctions } = onDemand("@actions/expressions")
  const known = (name: string, cost: (...given: Value[]) => number = weightOfAll): FunctionDefinition[] => {
    const definition = wellKnownFunctions[name]
    if (!definition) return []
    const call: FunctionDefinition["call"] = (...given) => {
      const amount = cost(...given)
      if (amount > LONGEST_RESULT) throw new ExpressionError(`what ${definition.name} gives is longer than ${LONGEST_RESULT} characters`)
      spend(fuel, amount)
      return definition.call(...given)
    }
    return [{ ...definition, name, call }]
  }
  const of = (name: string, value: boolean): FunctionDefinition => ({
    ...plainInfo(name, 0),
    call: () => new data.BooleanData(value),
  })
  const { success, failure, cancelled } = status ?? NO_STATUS
  return [
    ...["case", "contains", "startswith", "endswith"].flatMap((name) => known(name)),
    ...known("format", formatCost),
    ...known("join", joinCost),
    // Indented by two characters for each level.
    ...known("tojson", (value) => (value ? 4 * weightOf(value) : 0)),
    { ...plainInfo("fromjson", 1), call: (value) => fromJson(value, fuel) },
    of("success", success),
    of("failure", failure),
    of("cancelled", cancelled),
    of("always", true),
  ]
}

const plainInfo = (name: string, args: number): FunctionInfo => ({ name, minArgs: args, maxArgs: args })

const weightOfAll = (...given: Value[]): number => given.reduce((sum, one) => sum + weightOf(one), 0)

function formatCost(...[text, ...given]: Value[]): number {
  const pattern = text?.coerceString() ?? ""
  const lengths = given.map((one) => one.coerceString().length)
  return [...pattern.matchAll(/\{(\d+)/g)].reduce((sum, [, index]) => sum + (lengths[Number(index)] ?? 0), pattern.length)
}

function joinCost(...[list, separator]: Value[]): number {
  if (!list) return 0
  return weightOf(list) + sizeOf(list) * (separator?.coerceString().length ?? 1)
}

function fromJson(value: Value | undefined, fuel: Fuel): Value {
  const text = value?.coerceString() ?? ""
  spend(fuel, text.length)
  let parsed: unknown
  try {
    parsed = parseJson(text)
  } catch (error) {
    throw new ExpressionError(`fromJSON: ${error instanceof Error ? error.message : "this is no JSON"}: ${shown(text)}`)
  }
  return dataOfValue(parsed)
}

// --- values ----------------------------------------------------------------------------------------------------------------------

const converted = new WeakMap<object, Value>()

/** Values as the library has them. Converted once, because the payload of an event may be large. */
function dataOfValue(value: unknown): Value {
  const { data } = onDemand("@actions/expressions")
  if (typeof value === "string") return new data.StringData(value)
  if (typeof value === "number") return new data.NumberData(value)
  if (typeof value === "boolean") return new data.BooleanData(value)
  if (typeof value !== "object" || value === null) return new data.Null()
  const known = converted.get(value)
  if (known) return known
  const members = Object.entries(value).map(([key, one]) => ({ key, value: dataOfValue(one) }))
  const result = Array.isArray(value) ? listOf(members.map((member) => member.value)) : mappingOf(members)
  converted.set(value, result)
  return result
}

function mappingOf(members: readonly { readonly key: string; readonly value: Value }[]): data.Dictionary {
  const mapping = new (onDemand("@actions/expressions").data.Dictionary)()
  for (const { key, value } of members) mapping.add(key, value)
  return mapping
}

function listOf(values: readonly Value[]): data.Array {
  const list = new (onDemand("@actions/expressions").data.Array)()
  // One by one: so many arguments as a list may have values can't be passed.
  for (const value of values) list.add(value)
  return list
}

function dataOf(contexts: Contexts): data.Dictionary {
  return mappingOf(Object.entries(contexts).map(([key, value]) => ({ key, value: dataOfValue(value) })))
}

/** A value of the library as JSON. */
function plain(value: Value, fuel: Fuel): unknown {
  const { Kind } = onDemand("@actions/expressions").data
  spend(fuel, sizeOf(value))
  if (isList(value)) return value.values().map((one) => plain(one, fuel))
  if (isMapping(value)) return Object.fromEntries(value.pairs().map((pair) => [pair.key, plain(pair.value, fuel)]))
  if (value.kind === Kind.Null) return null
  if (value.kind === Kind.Boolean) return isTruthy(value)
  return value.kind === Kind.Number ? value.number() : value.coerceString()
}
