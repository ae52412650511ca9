import { Link } from '../parts/link.js';
import { Page } from '../parts/page.js';
import { Empty } from '../parts/states.js';
import { href } from '../route.js';

/** A path that no page stands for. */
export const NowherePage = () => (
  <Page title="No such page">
    <Empty title="This address leads nowhere.">
      <Link to={href([])}>Go to the overview</Link>
    </Empty>
  </Page>
);
