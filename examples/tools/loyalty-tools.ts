import { tool } from 'holdfast';
import type { CodeToolContext } from 'holdfast';
import { z } from 'zod';

const Grant = z.object({ customer: z.string(), points: z.int().positive() });

export class LoyaltyTools {
  readonly #points: Map<string, number>;
  readonly #granted = new Set<string>();

  constructor(points: Map<string, number>) {
    this.#points = points;
  }

  @tool({
    description: 'How many points a customer has.',
    parameters: z.object({ customer: z.string() }),
    effect: 'idempotent',
  })
  points({ customer }: { customer: string }) {
    return { customer, points: this.#points.get(customer) ?? 0 };
  }

  @tool({
    name: 'grant_points',
    description: 'Give points to a customer, once for each idempotency key.',
    parameters: Grant,
    effect: 'keyed',
    approval: { when: 'args.points > 1000' },
    roles: ['support'],
    onFailure: 'intervene',
  })
  grant({ customer, points }: z.output<typeof Grant>, { key }: CodeToolContext) {
    const before = this.#points.get(customer) ?? 0;
    if (!this.#granted.has(key)) this.#points.set(customer, before + points);
    this.#granted.add(key);
    return this.points({ customer });
  }
}
