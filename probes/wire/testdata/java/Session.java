import java.io.StringReader;
import java.math.BigDecimal;
import java.sql.*;
import org.postgresql.PGConnection;

/** pgjdbc: server-prepared statements, batches, savepoints, cursors, COPY, a cancelled statement, notifications. */
public class Session {
  static void out(Object... all) { System.out.println(java.util.Arrays.deepToString(all)); }

  public static void main(String[] args) throws Exception {
    try (Connection c = DriverManager.getConnection(System.getenv("JDBC_URL"))) {
      run(c);
    }
  }

  static void run(Connection c) throws Exception {
    try (Statement s = c.createStatement()) {
      s.execute("create table t (id int primary key, owner text, balance numeric(10,2), seen timestamptz, ok boolean, doc bytea)");
    }
    try (PreparedStatement p = c.prepareStatement("insert into t values (?, ?, ?, ?, ?, ?)")) {
      for (int i = 0; i < 12; i++) { // the sixth is prepared on the server
        p.setInt(1, i);
        p.setString(2, "o" + i);
        p.setBigDecimal(3, new BigDecimal("10.50"));
        p.setTimestamp(4, new Timestamp(0));
        p.setBoolean(5, i % 2 == 0);
        p.setBytes(6, new byte[] {(byte) i, 0, 1});
        p.executeUpdate();
      }
      for (int i = 100; i < 400; i++) {
        p.setInt(1, i);
        p.addBatch();
      }
      out("batch", p.executeBatch().length);
    }
    c.setAutoCommit(false);
    try (Statement s = c.createStatement()) {
      s.executeUpdate("update t set balance = balance - 1 where id = 0");
      Savepoint before = c.setSavepoint();
      try {
        s.executeUpdate("insert into t (id) values (0)");
      } catch (SQLException e) {
        out(e.getSQLState(), e.getMessage());
        c.rollback(before);
      }
      c.commit();
    }
    try (PreparedStatement p = c.prepareStatement("select id, owner, balance, ok, doc from t where id < ? order by id")) {
      p.setFetchSize(5); // a portal that is suspended
      for (int round = 0; round < 7; round++) {
        p.setInt(1, 12);
        int rows = 0;
        try (ResultSet r = p.executeQuery()) {
          while (r.next()) {
            rows++;
            if (round == 6) out(r.getInt(1), r.getString(2), r.getBigDecimal(3), r.getBoolean(4), r.getBytes(5));
          }
        }
        out("rows", rows);
      }
    }
    c.commit();
    c.setAutoCommit(true);
    PGConnection pg = c.unwrap(PGConnection.class);
    out("copied", pg.getCopyAPI().copyIn("copy t (id, owner, balance) from stdin", new StringReader("1000\tcopied\t1\n1001\tcopied\t2\n")));
    java.io.StringWriter back = new java.io.StringWriter();
    pg.getCopyAPI().copyOut("copy (select id, owner from t where owner = 'copied' order by id) to stdout", back);
    out(back.toString());
    try (Statement s = c.createStatement()) {
      s.execute("listen news");
      s.execute("notify news, 'hello'");
      out(pg.getNotifications(0)[0].getParameter());
      s.setQueryTimeout(1); // by a cancel request
      try {
        s.execute("select pg_sleep(60)");
      } catch (SQLException e) {
        out(e.getSQLState());
      }
    }
    c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
    try (Statement s = c.createStatement(); ResultSet r = s.executeQuery("select count(*), sum(balance) from t")) {
      r.next();
      out(r.getInt(1), r.getBigDecimal(2), c.getTransactionIsolation());
    }
  }
}
