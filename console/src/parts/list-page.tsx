import type { CallOptions, Client, Listing } from 'holdfast/client';
import type { JSX, ReactNode } from 'react';
import { Link } from 'wouter';
import { useApi } from '../api/use-api.tsx';
import { Empty } from './notices.tsx';
import { PageHeader } from './page-header.tsx';
import { PagesView, usePages } from './query-view.tsx';
import type { Pages } from './query-view.tsx';
import { Table } from './table.tsx';
import type { Column } from './table.tsx';

const PAGE = { limit: 50 };

/** A resource of the client that can be listed. */
interface Listable<Item> {
  list: (page: typeof PAGE, options: CallOptions) => Listing<Item>;
}

/** A resource: the first parts of the keys of its queries, and where the client has it. */
export interface ListedResource<Item> {
  readonly key: readonly string[];
  readonly of: (client: Client) => Listable<Item>;
}

/** Reads the list of a resource page by page. Events that concern the resource make it stale. */
function useList<Item>({ key, of }: ListedResource<Item>): Pages<Item> {
  const client = useApi();
  return usePages([...key, 'list'], (options) => of(client).list(PAGE, options));
}

interface ListPageProps<Item> {
  readonly title: string;
  /** A line below the title. */
  readonly about: string;
  readonly resource: ListedResource<Item>;
  /** The link to the form that adds an item. */
  readonly add: { readonly href: string; readonly label: string };
  /** Text of an empty list, and what to do about it. */
  readonly empty: { readonly title: string; readonly advice: string };
  /** Links to related pages, above the list. */
  readonly tabs?: ReactNode;
  readonly columns: readonly Column[];
  /** Renders the row of an item, with a key. */
  readonly children: (item: Item) => JSX.Element;
}

/** The page with all items of a resource, as a table named like the page, and with a link that adds one. */
export function ListPage<Item>(props: ListPageProps<Item>): JSX.Element {
  const { title, about, resource, add, empty, tabs, columns, children } = props;
  const pages = useList(resource);
  return (
    <>
      <PageHeader title={title} about={about}>
        <Link href={add.href} className="button">
          {add.label}
        </Link>
      </PageHeader>
      {tabs}
      <PagesView pages={pages} empty={<Empty title={empty.title}>{empty.advice}</Empty>}>
        {(items) => (
          <Table label={title} columns={columns}>
            {items.map(children)}
          </Table>
        )}
      </PagesView>
    </>
  );
}
