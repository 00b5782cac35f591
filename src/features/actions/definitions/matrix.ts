import { isMapping, type Members } from "../../../core/yaml.ts"
import { hasExpression } from "./expressions.ts"
import { WorkflowError } from "./source.ts"

/** The values of one job of a matrix. */
export type Combination = Members

/** The most jobs that a run may have. */
export const MOST_JOBS = 256

const isOpen = (value: unknown): boolean => typeof value === "string" && hasExpression(value)

/**
 * The combinations of a matrix; none where there is no matrix, or where one of its lists is an expression that has not been evaluated.
 * Throws `WorkflowError` for an invalid matrix, and for more than 256 combinations.
 */
export function combinationsOf(strategy: unknown): readonly Combination[] {
  if (strategy !== undefined && strategy !== null && !isMapping(strategy)) throw new WorkflowError("'strategy' should be a mapping")
  const matrix = isMapping(strategy) ? strategy["matrix"] : undefined
  if (matrix === undefined || matrix === null || isOpen(matrix)) return []
  if (!isMapping(matrix)) throw new WorkflowError("'matrix' should be a mapping", ["matrix"])
  const { include, exclude, ...axes } = matrix
  if (Object.values(matrix).some(isOpen)) return []
  const excluded = mappingsIn(exclude, "exclude")
  const product = productOf(axes).filter((one) => !excluded.some((without) => holds(one, without)))
  const all = included(product, new Set(Object.keys(axes)), mappingsIn(include, "include"))
  if (all.length > MOST_JOBS) throw tooMany()
  if (all.length === 0) throw new WorkflowError("the matrix has no combinations", ["matrix"])
  return all
}

const tooMany = () => new WorkflowError(`the matrix makes more than ${MOST_JOBS} jobs`, ["matrix"])

function productOf(axes: Members): readonly Combination[] {
  let product: readonly Combination[] = Object.keys(axes).length === 0 ? [] : [{}]
  for (const [name, values] of Object.entries(axes)) {
    const list: readonly unknown[] = Array.isArray(values) ? values : [values]
    if (list.length === 0) throw new WorkflowError(`'${name.slice(0, 100)}' of the matrix has no values`, ["matrix", name])
    if (product.length * list.length > MOST_JOBS) throw tooMany()
    product = product.flatMap((one) => list.map((value) => ({ ...one, [name]: value })))
  }
  return product
}

function mappingsIn(list: unknown, name: string): readonly Members[] {
  if (list === undefined || list === null) return []
  if (!Array.isArray(list) || !list.every(isMapping)) throw new WorkflowError(`'${name}' should be a list of mappings`, ["matrix", name])
  if (list.length > MOST_JOBS) throw tooMany()
  return list
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
const holds = (one: Combination, part: Members): boolean => Object.entries(part).every(([name, value]) => same(one[name], value))

/** Applies `include`: each entry extends the combinations whose axes it doesn't change; where there are none it is added as a combination. */
function included(product: readonly Combination[], axes: ReadonlySet<string>, include: readonly Members[]): readonly Combination[] {
  const all = [...product]
  for (const more of include) {
    const onAxes = Object.fromEntries(Object.entries(more).filter(([name]) => axes.has(name)))
    let found = false
    for (const [index, one] of product.entries())
      if (holds(one, onAxes)) {
        all[index] = { ...all[index], ...more }
        found = true
      }
    if (!found) all.push(more)
  }
  return all
}

const valueText = (value: unknown): string => (typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? ""))

/** The name of a job of a matrix whose own name has no expressions: followed by all values in the order of their names. */
export function matrixJobName(name: string, combination: Combination): string {
  if (Object.keys(combination).length === 0) return name
  const values = Object.keys(combination)
    .sort()
    .map((key) => valueText(combination[key]))
  return `${name} (${values.join(", ")})`
}
