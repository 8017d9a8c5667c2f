import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseConfig } from '../../../src/config/load-config.ts';
import type { ToolConfig } from '../../../src/config/tool.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { defineTool, tool } from '../../../src/index.ts';
import type { CodeToolContext } from '../../../src/index.ts';
import { aCodeContext } from '../../support/builders/call-builders.ts';

const fields = { description: 'Pays', parameters: z.object({ order: z.string() }) } as const;
const pay = defineTool({ ...fields, name: 'pay', execute: ({ order }) => order });

function toolsOf(...tools: unknown[]): readonly ToolConfig[] {
  return parseConfig('here', { tools }).tools;
}
const refusalOf = (...tools: unknown[]): string => {
  try {
    return JSON.stringify(toolsOf(...tools));
  } catch (error) {
    return String(error);
  }
};
const run = (found: ToolConfig | undefined, args: Json, context = aCodeContext()): unknown =>
  found && 'execute' in found ? found.execute(args, context) : expect.unreachable();

class Desk {
  readonly #greeting: string;
  constructor(greeting: string) {
    this.#greeting = greeting;
  }
  @tool({ ...fields, effect: 'idempotent', roles: ['user'] })
  find({ order }: { order: string }) {
    return `${this.#greeting} ${order}`;
  }
  @tool({ ...fields, name: 'refund_order' })
  refund({ order }: { order: string }, { key }: CodeToolContext) {
    return `${order} ${key}`;
  }
  plain() {
    return this.#greeting;
  }
}

describe('an instance with decorated methods', () => {
  test('an instance with @tool methods provides one tool per method, named after the method by default', () => {
    const tools = toolsOf(pay, new Desk('Hello'));
    expect(tools.map(({ name }) => name)).toEqual(['pay', 'find', 'refund_order']);
    expect(tools[1]).toMatchObject({ effect: 'idempotent', roles: ['user'], secrets: [] });
    expect(tools[2]).toMatchObject({ effect: 'unsafe' });
  });

  test('an instance with @tool methods is the `this` of its methods', () => {
    const [hello] = toolsOf(new Desk('Hello'));
    const [bye] = toolsOf(new Desk('Bye'));
    expect([run(hello, { order: '7' }), run(bye, { order: '7' })]).toEqual(['Hello 7', 'Bye 7']);
  });

  test('a @tool method receives the context of the call', () => {
    expect(run(toolsOf(new Desk(''))[1], { order: '7' }, aCodeContext({ key: 'K9' }))).toBe('7 K9');
  });

  test('an overridden @tool method stays the same tool', () => {
    class LoudDesk extends Desk {
      override find({ order }: { order: string }) {
        return order.toUpperCase();
      }
      @tool({ ...fields, description: 'Pays at once', name: 'refund_now' })
      override refund() {
        return 'paid';
      }
    }
    const tools = toolsOf(new LoudDesk('Hello'));
    expect(tools.map(({ name }) => name)).toEqual(['find', 'refund_now']);
    expect(tools.map((each) => run(each, { order: 'x' }))).toEqual(['X', 'paid']);
  });

  test('@tool methods are found behind a proxy of their instance', () => {
    const [find] = toolsOf(new Proxy(new Desk('Hello'), {}));
    expect(run(find, { order: '7' })).toBe('Hello 7');
  });

  test('a private method can be a @tool', () => {
    class Vault {
      @tool({ ...fields, name: 'open_vault' })
      #open() {
        return 'open';
      }
      isOpen() {
        return this.#open() === 'open';
      }
    }
    expect(toolsOf(new Vault()).map((each) => run(each, {}))).toEqual(['open']);
  });

  test('an instance with an invalid @tool method is refused with the name of the method', () => {
    class Wrong {
      @tool({ ...fields, timeout: '10 parsecs' })
      warp() {}
    }
    expect(refusalOf(new Wrong())).toContain('/tools/0/warp/timeout: "10 parsecs" is no duration');
  });

  test('an instance without any @tool method is refused as a source of tools', () => {
    expect(refusalOf(new Date())).toContain('/tools/0: is no tool and has no method that is a @tool');
  });

  test('static methods of a class do not become tools', () => {
    expect(() => {
      class Static {
        @tool(fields)
        static make() {}
        use() {}
      }
      return Static;
    }).toThrow('make is static');
  });
});

describe('two tools with one name', () => {
  test.each<[string, readonly unknown[], string]>([
    ['in the list of tools', [pay, pay], '/tools/1/name: another tool is named "pay" already: /tools/0'],
    [
      'in two instances',
      [new Desk('a'), new Desk('b')],
      '/tools/1/find/name: another tool is named "find" already: Desk.find at /tools/0/find',
    ],
    [
      'as a method and in the list of tools',
      [new Desk('a'), { ...pay, name: 'refund_order' }],
      '/tools/1/name: another tool is named "refund_order" already: Desk.refund at /tools/0/refund',
    ],
  ])('two tools with the same name are refused with both names: %s', (_where, tools, message) => {
    expect(refusalOf(...tools)).toContain(message);
  });
});

describe('onFailure of a tool', () => {
  const failing = (name: string, onFailure: string): object => ({ ...pay, name, onFailure });

  test.each(['tell', 'intervene', 'spare', 'find'])('the setting onFailure of a tool may be %s', (onFailure) => {
    expect(toolsOf(failing('pay', onFailure), failing('spare', 'tell'), new Desk('a'))).toHaveLength(4);
  });

  test.each<[string, readonly unknown[], string]>([
    ['an unknown tool', [failing('a', 'b')], '/tools/0/onFailure: must be "tell", "intervene" or the name'],
    ['the tool itself', [failing('a', 'a')], '/tools/0/onFailure: leads back to "a"'],
    ['a circle', [failing('a', 'b'), failing('b', 'a')], '/tools/1/onFailure: leads back to "b"'],
  ])('the setting onFailure of a tool may not be %s', (_what, tools, message) => {
    expect(refusalOf(...tools)).toContain(message);
  });
});
